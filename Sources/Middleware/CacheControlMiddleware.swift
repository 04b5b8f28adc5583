// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// Tells the caches on the way what the request wants of them (RFC 9111 §5.2.1). Place: outside of a cache of your own.
public struct CacheControlMiddleware: NetworkMiddleware {
    package let directive: Directive
    /// Whether a field that the request has already is replaced. Default: yes.
    package let replacesExisting: Bool

    public init(_ directive: Directive, replacesExisting: Bool = true) {
        self.directive = directive
        self.replacesExisting = replacesExisting
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        MiddlewarePlacement(
            role: .decoration, rules: [.outside(.cache, because: "the cache would not see what is asked of it")])
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        try await next(request.setting(.cacheControl, to: directive.text, replacing: replacesExisting))
    }

    /// What the request wants.
    public struct Directive: Hashable, Sendable {
        let text: String

        /// No stored response unless the server has confirmed that it is still valid.
        public static let noCache = Directive(text: "no-cache")
        /// Neither the request nor the response may be stored.
        public static let noStore = Directive(text: "no-store")
        /// Only a response that the cache has already.
        public static let onlyIfCached = Directive(text: "only-if-cached")
        /// No response that is older than this. A number below zero counts as zero.
        public static func maxAge(seconds: Int) -> Directive { Directive(text: "max-age=\(max(seconds, 0))") }
        /// Any other, as it is sent: `min-fresh=60`.
        public static func custom(_ text: String) -> Directive { Directive(text: text) }
    }
}
