// SPDX-License-Identifier: Apache-2.0

public import StrataCore

extension MiddlewarePlacement.Role {
    /// Changes the URL of requests.
    public static let urlDecoration: Self = "URL decoration"
    /// Counts and measures calls.
    public static let metrics: Self = "metrics"
    /// Writes the spans of a distributed trace.
    public static let tracing: Self = "tracing"
    /// Names the distributed trace that a request belongs to.
    public static let traceContext: Self = "trace context"
    /// Adds an API key.
    public static let apiKey: Self = "API key"
    /// Tells the caller when to come back.
    public static let retryAfter: Self = "retry after"
    /// Sends nothing to a server that fails.
    public static let circuitBreaker: Self = "circuit breaker"
    /// Bounds the requests in a time.
    public static let rateLimit: Self = "rate limit"
    /// Bounds the exchanges at a time.
    public static let concurrencyLimit: Self = "concurrency limit"
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
