// SPDX-License-Identifier: Apache-2.0

public import StrataCore

extension MiddlewarePlacement.Role {
    /// Changes the URL of requests.
    public static let urlDecoration: Self = "URL decoration"
    /// Counts and measures calls.
    public static let metrics: Self = "metrics"
    /// Adds an API key.
    public static let apiKey: Self = "API key"
    /// Tells the caller when to come back.
    public static let retryAfter: Self = "retry after"
}

extension MiddlewarePlacement {
    /// Whoever sets `Authorization`.
    package static func authentication(repeatsRequests: Bool) -> MiddlewarePlacement {
        MiddlewarePlacement(
            role: .authentication,
            rules: [
                .inside(.redirects, because: "credentials would be put on a hop to another origin"),
                .inside(.retry, because: "a later attempt would go out with the first one's credentials"),
                .once(because: "both set the Authorization field"),
            ], repeatsRequests: repeatsRequests)
    }
}
