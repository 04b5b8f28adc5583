// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// How a request is carried out: everything about it that is not on the wire.
public struct RequestOptions: Sendable {
    public var timeouts = Timeouts()
    public var redirects = RedirectPolicy.follow
    /// The most decoded bytes that a response body may have. `nil` (default): 64 MiB where a body is collected, or read to its
    /// end for a ``VoidResponse``, no limit where it is read as a stream.
    public var maximumResponseBytes: Int?
    /// Which statuses ``NetworkClientProtocol/run(_:)`` takes for success. Default: 200 to 299.
    public var acceptableStatus = StatusPolicy.success
    public var httpVersion = HTTPVersionPolicy.automatic
    /// What the caller will do with the body. Default: ``ResponseDelivery/automatic``.
    public var delivery = ResponseDelivery.automatic
    /// Fields that hold secrets, beside `Authorization`, `Cookie`, `Set-Cookie` and `Proxy-Authorization`: redacted in
    /// what is written about the call, dropped on a change of origin.
    ///
    /// The mark does not keep HTTP/2 from indexing a field (RFC 7541 §7.1.3): libcurl and URLSession have no switch for
    /// that.
    public var sensitiveFields: Set<HTTPField.Name> = []
    /// Names in the URL's query whose values are secrets, beside the common ones: redacted in what is written about the call.
    public var sensitiveQueryItems: Set<String> = []
    /// The request must go out without credentials: set on the calls by which credentials are obtained.
    public var isAuthenticationExempt = false
    /// A link of a server led the request away from the origin of the client's base URL or, without one, from where it
    /// began: the client adds no secrets by itself.
    package var isAwayFromHome = false

    private var attributes: [ObjectIdentifier: any Sendable] = [:]

    public init() {}

    /// A value of the caller's own that travels with the request to the middleware.
    ///
    ///     enum TenantKey: RequestAttributeKey { static let defaultValue: String? = nil }
    ///     options[TenantKey.self] = "acme"
    public subscript<Key: RequestAttributeKey>(_ key: Key.Type) -> Key.Value {
        get { attributes.value(of: key) ?? Key.defaultValue }
        set { attributes[ObjectIdentifier(key)] = newValue }
    }

    /// Whether a field's value is a secret in this request.
    public func isSensitive(_ name: HTTPField.Name) -> Bool {
        Self.alwaysSensitive.contains(name) || sensitiveFields.contains(name)
    }

    /// Whether a field does not go along when a server leads to another origin.
    package func isOriginBound(_ name: HTTPField.Name) -> Bool {
        isSensitive(name) || RedirectMiddleware.originBoundFields.contains(name) || name == .known("Host")
    }

    /// Whether an item of the query, or of a form, holds a secret in this request.
    ///
    /// - Parameter name: decoded.
    func isSecretQueryItem(_ name: String) -> Bool {
        let letters = SecretNames.normalized(name)
        return SecretNames.isSecret(name) || SecretNames.parameters.contains(letters)
            || sensitiveQueryItems.contains { SecretNames.normalized($0) == letters }
    }

    /// The most bytes of a body that is collected.
    package var collectionLimit: Int { maximumResponseBytes ?? ResponseBody.defaultLimit }

    /// Fields that always hold secrets.
    public static let alwaysSensitive: Set<HTTPField.Name> = [.authorization, .cookie, .setCookie, .proxyAuthorization]

    /// How a request changes the options that its client gives it.
    public typealias Override = @Sendable (inout RequestOptions) -> Void
}

/// The name and the default of a typed attribute; see ``RequestOptions/subscript(_:)``.
public protocol RequestAttributeKey {
    associatedtype Value: Sendable
    static var defaultValue: Value { get }
}

extension [ObjectIdentifier: any Sendable] {
    /// The value of an attribute; `nil` when it was not set.
    func value<Attribute: RequestAttributeKey>(of attribute: Attribute.Type) -> Attribute.Value? {
        // Nothing at all can be cast to an optional type: look first.
        guard let value = self[ObjectIdentifier(attribute)] else { return nil }
        return value as? Attribute.Value
    }
}

/// Which statuses count as success.
public struct StatusPolicy: Hashable, Sendable {
    private let ranges: [Range<Int>]?

    /// 200 to 299 (RFC 9110 §15.3).
    public static let success = StatusPolicy(ranges: [200..<300])
    /// Every status is handed to the caller.
    public static let any = StatusPolicy(ranges: nil)
    /// These and no others: `.ranges(400..<500)` refuses 200.
    public static func ranges(_ ranges: Range<Int>...) -> StatusPolicy { StatusPolicy(ranges: ranges) }
    /// These and no others: `.codes(404)` refuses 200.
    public static func codes(_ codes: Int...) -> StatusPolicy {
        StatusPolicy(ranges: codes.filter { $0 < .max }.map { $0..<($0 + 1) })
    }

    public func accepts(_ status: HTTPResponse.Status) -> Bool {
        guard let ranges else { return true }
        return ranges.contains { $0.contains(status.code) }
    }
}

/// Which version of HTTP a request is sent with.
///
/// A transport without the capability fails with ``NetworkClientError/Code-swift.struct/unsupportedByTransport`` before
/// anything is sent: URLSession for all but ``automatic``.
public enum HTTPVersionPolicy: Hashable, Sendable {
    /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
    case automatic
    /// HTTP/1.1 alone. Needs the capability `httpVersionChoice`.
    case http1
    /// HTTP/2 from the first byte, also without TLS (RFC 9113 §3.3). Needs the capability `http2PriorKnowledge`.
    case http2PriorKnowledge
}

/// A hint of what the caller does with the body.
public enum ResponseDelivery: Hashable, Sendable {
    /// A small body may arrive together with the head.
    case automatic
    /// The head counts and the body trickles: hand out every piece at once.
    case eventStream
}
