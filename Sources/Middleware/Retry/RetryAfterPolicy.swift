// SPDX-License-Identifier: Apache-2.0

/// How far a server's `Retry-After` is followed.
public struct RetryAfterPolicy: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case capped(Duration), upTo(Duration), ignored
    }

    let kind: Kind

    /// Heeded, but waited for no longer than this; then the request is sent again, though the server asked for more.
    public static func capped(at maximum: Duration) -> RetryAfterPolicy { RetryAfterPolicy(kind: .capped(maximum)) }
    /// Heeded up to this; when the server asks for more, the response is handed up.
    public static func upTo(_ maximum: Duration) -> RetryAfterPolicy { RetryAfterPolicy(kind: .upTo(maximum)) }
    /// The middleware's own backoff holds.
    public static let ignored = RetryAfterPolicy(kind: .ignored)
}
