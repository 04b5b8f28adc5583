// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// How often a request is tried again, in one word.
///
///     RetryMiddleware(.retry(count: 3))
///     NetworkRequest<VoidRequest, User>(path: "me", method: .get) { $0.retryStrategy = .none }
public struct RetryStrategy: Hashable, Sendable {
    let maxAttempts: Int?

    /// As many attempts as the middleware is set to.
    public static let inherited = RetryStrategy(maxAttempts: nil)
    /// Never.
    public static let none = RetryStrategy(maxAttempts: 1)
    /// Up to `count` times after the first attempt. A count below 1 allows no retry.
    public static func retry(count: Int) -> RetryStrategy {
        RetryStrategy(maxAttempts: RequestOptions.maxAttempts(retries: count))
    }
}

extension RequestOptions {
    /// Overrides the number of attempts of `RetryMiddleware`, for a request or for a client.
    public var retryStrategy: RetryStrategy {
        get { RetryStrategy(maxAttempts: maxAttempts) }
        set { maxAttempts = newValue.maxAttempts }
    }
}
