// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// How a ``CacheMiddleware`` works, beyond what RFC 9111 leaves no choice in.
public struct CacheOptions: Sendable {
    /// Whether a response that says nothing about its freshness, but when it was last changed, is taken for fresh for a tenth
    /// of the time since then, and a day at most (RFC 9111 §4.2.2). Default: no.
    public var usesHeuristics = false
    /// For how long after its time a response may be used when the server cannot be reached or answers 500, 502, 503 or
    /// 504, in addition to what the response's own `stale-if-error` says. Never when it must be revalidated. Default: zero.
    public var staleIfError = Duration.zero
    /// The largest body that is stored. It is held in memory until it is whole. Default: 8 MiB.
    public var maximumBodyBytes = 8 * 1024 * 1024
    /// Whether calls for the same thing at the same time share one exchange, when its response may be stored. The response is
    /// then handed out when its body is whole, as far as it may be stored. Default: no.
    public var collapsesRequests = false
    /// The name under which the cache says in the field `Cache-Status` (RFC 9211) how it handled a request. `nil` (default): the
    /// responses have no such field of this cache.
    public var cacheStatusName: String?
    /// Gives requests with methods other than GET and HEAD, such as QUERY, a key under which their responses are stored, which
    /// has to tell apart whatever is in their bodies. A request with a key counts as safe; `nil` means no key. Default: none.
    ///
    ///     options.key = { request in
    ///         request.head.method.rawValue == "QUERY" ? request.body.data.map { String(decoding: $0, as: UTF8.self) } : nil
    ///     }
    public var key: (@Sendable (TransportRequest) -> String?)?

    /// How many responses are kept that a URL's `Vary` tells apart.
    static let maximumVariants = 32

    public init() {}
}
