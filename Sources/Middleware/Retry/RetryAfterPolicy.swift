// SPDX-License-Identifier: Apache-2.0

/// How far a server's `Retry-After` is followed.
public struct RetryAfterPolicy: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case capped(Duration), upTo(Duration), ignored
    }

    let kind: Kind

    /// Waits as long as the server says, but no longer than this; then the request is sent again.
    public static func capped(at maximum: Duration) -> RetryAfterPolicy { RetryAfterPolicy(kind: .capped(maximum)) }
    /// Waits as long as the server says; when that is longer than this, the response is returned instead.
    public static func upTo(_ maximum: Duration) -> RetryAfterPolicy { RetryAfterPolicy(kind: .upTo(maximum)) }
    /// Always waits by ``RetryMiddleware/backoff``.
    public static let ignored = RetryAfterPolicy(kind: .ignored)
}
