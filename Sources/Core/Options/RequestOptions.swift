// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// How a request is carried out: everything about it that is not on the wire.
public struct RequestOptions: Sendable {
    /// The limits on the call's time. Default: 30 seconds to connect, 60 seconds of silence.
    public var timeouts = Timeouts()
    /// Default: up to 20 redirects are followed.
    public var redirects = RedirectPolicy.follow
    /// The most decoded bytes that a response body may have. `nil` (default): 64 MiB where a body is collected, or read to its
    /// end for a ``VoidResponse``, no limit where it is read as a stream.
    public var maximumResponseBytes: Int?
    /// Which statuses ``NetworkClientProtocol/run(_:)`` accepts as success. Default: 200 to 299.
    public var acceptableStatus = StatusPolicy.success
    /// Default: ``HTTPVersionPolicy/automatic``.
    public var httpVersion = HTTPVersionPolicy.automatic
    /// What the caller will do with the body. Default: ``ResponseDelivery/automatic``.
    public var delivery = ResponseDelivery.automatic
    /// Whether field lines of a response that are no valid fields (RFC 9110 §5.1, §5.5; RFC 9112 §5.1), such as one with a blank
    /// before its colon, are left out of the head instead of failing the exchange, as browsers do. Default: no.
    ///
    /// ``TransportMetrics/skippedFieldLines`` tells how many were left out. A line that might be taken for `Content-Length` or
    /// `Transfer-Encoding` always fails the exchange, because the end of the body hangs on it. Transports need the feature
    /// ``TransportCapabilities/Features/invalidFieldSkipping``; without it the request fails with `unsupportedByTransport`.
    public var skipsInvalidFields = false
    /// Fields that hold secrets, in addition to `Authorization`, `Cookie`, `Set-Cookie` and `Proxy-Authorization`: redacted
    /// in logs and descriptions of the call, and dropped on a change of origin. Those of a request are added to those of its
    /// client.
    ///
    /// The mark does not keep HTTP/2 from indexing a field (RFC 7541 §7.1.3): libcurl and URLSession have no switch for
    /// that.
    public var sensitiveFields: Set<HTTPField.Name> = []
    /// Names in the URL's query whose values are secrets, in addition to the common ones: redacted in logs and descriptions
    /// of the call. Those of a request are added to those of its client.
    public var sensitiveQueryItems: Set<String> = []
    /// Whether the request is sent without credentials, also without those among the default fields and in the base URL.
    /// Default: no. Set on the calls by which credentials are obtained, and on each TRACE, whose response repeats the request
    /// (RFC 9110 §9.3.8). Credentials that the request itself has stay.
    public var isAuthenticationExempt = false
    /// What the paths of all such requests have in common, `/users/{id}`, for metrics and traces, which may not have one label for
    /// each path. Default: that of the path where it has values put in, or is a literal; `nil` where it is not known. Without its
    /// query.
    public var urlTemplate: String? {
        get { template?.text }
        set { template = newValue.map { URLTemplate($0) } }
    }
    var template: URLTemplate?
    /// Whether a server's link led the request here, to another origin than the one where its pages began. Without a
    /// base URL no server is then the client's own.
    package var isLedByLink = false
    /// How much of the deadline had passed when the call began. An event source and a download make several calls under
    /// one deadline.
    package var timeSpent = Duration.zero
    /// Whether the body may last for any time, so that no layer may limit the time of an attempt.
    package private(set) var isOpenEnded = false

    /// The `User-Agent` of a request that has none when it has passed all layers.
    package var defaultUserAgent: String?

    /// How often a retry middleware may send the request; `nil` leaves it to the middleware.
    package var maxAttempts: Int?

    /// - Parameter retries: below 1 there is none.
    package static func maxAttempts(retries: Int) -> Int { 1 + min(max(retries, 0), 1_000_000) }

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

    /// Whether anybody has set one.
    var hasAttributes: Bool { !attributes.isEmpty }

    /// Whether the request names secrets of its own.
    @inlinable var marksSecrets: Bool { !sensitiveFields.isEmpty || !sensitiveQueryItems.isEmpty }

    /// Whether a field's value is a secret in this request.
    public func isSensitive(_ name: HTTPField.Name) -> Bool {
        Self.alwaysSensitive.contains(name) || sensitiveFields.contains(name)
    }

    /// Whether a field is left behind when a redirect or a link leads to another origin: also one that is known as a secret by
    /// its name alone.
    package func isOriginBound(_ name: HTTPField.Name) -> Bool {
        isSensitive(name) || Self.originBoundFields.contains(name) || SecretNames.fields.contains(name)
            || SecretNames.isSecret(name.canonicalName)
    }

    /// Those of `fields` that are left behind, in the order in which a redirect drops them.
    func originBoundNames(in fields: HTTPFields) -> [HTTPField.Name] {
        let others = Set(fields.map(\.name)).subtracting(Self.originBoundFields).filter(isOriginBound)
        return Self.originBoundFields.filter { fields.contains($0) }
            + others.sorted { $0.canonicalName < $1.canonicalName }
    }

    /// What a server may learn only of its own clients, besides secrets.
    private static let originBoundFields: [HTTPField.Name] = [
        .authorization, .cookie, .proxyAuthorization, .origin, .host,
    ]

    /// Which of its default fields a client adds to a request that has `fields`: those that the request has not, and that the
    /// client need not withhold.
    ///
    /// - Parameter isAtHome: as ``TransportRequest/isAtHome``.
    package func additions(to fields: HTTPFields, from defaults: HTTPFields, isAtHome: Bool) -> HTTPFields {
        defaults.filter { fields[$0.name] == nil && !withholds($0.name, isAtHome: isAtHome) }
    }

    /// Whether a client must not add this field to the request by itself: because the field is for the client's own
    /// server and this is another, or because it is a credential and the request must have none.
    private func withholds(_ name: HTTPField.Name, isAtHome: Bool) -> Bool {
        isAtHome ? isAuthenticationExempt && isSensitive(name) : isOriginBound(name)
    }

    /// A TRACE has no credentials, because its response repeats the request (RFC 9110 §9.3.8).
    mutating func exempt(_ method: HTTPMethod) {
        if method == .trace { isAuthenticationExempt = true }
    }

    /// What was left of the deadline when the call began.
    var remainingTime: Duration? { timeouts.deadline.map { $0 - timeSpent } }

    /// Removes all timeouts except `connect` and `idle`: for a body that is read while it arrives, a stream or a download.
    package mutating func makeOpenEnded() {
        timeouts.attempt = nil
        timeouts.deadline = nil
        isOpenEnded = true
    }

    /// Whether a status is a success. A redirect that is not to be followed is what was asked for, unless
    /// ``acceptableStatus`` was set.
    func accepts(_ status: HTTPResponse.Status) -> Bool {
        acceptableStatus.accepts(status)
            || (acceptableStatus == .success && redirects.limit <= 0 && status.isRedirect)
    }

    /// Says that the body will be collected, unless something else was said.
    package mutating func collectsBody() {
        if delivery == .automatic { delivery = .collected }
    }

    /// Whether an item of the query, or of a form, holds a secret in this request.
    ///
    /// - Parameter name: decoded.
    package func isSecretQueryItem(_ name: String) -> Bool {
        let letters = SecretNames.normalized(name)
        return SecretNames.isSecret(name) || SecretNames.parameters.contains(letters)
            || marksQueryItem(letters)
    }

    /// Whether a member of JSON holds a secret in this request: a body may repeat what is in the query and in the fields.
    package func isSecretMember(_ name: String) -> Bool {
        let letters = SecretNames.normalized(name)
        return SecretNames.isSecret(name) || marksQueryItem(letters)
            || sensitiveFields.contains { SecretNames.normalized($0.canonicalName) == letters }
    }

    /// Whether the request names this item of the query as a secret.
    ///
    /// - Parameter letters: its name, normalized.
    package func marksQueryItem(_ letters: String) -> Bool {
        sensitiveQueryItems.contains { SecretNames.normalized($0) == letters }
    }

    /// The most bytes of a body that is collected.
    package var collectionLimit: Int { maximumResponseBytes ?? ResponseBody.defaultLimit }

    /// Fields that always hold secrets.
    package static let alwaysSensitive: Set<HTTPField.Name> = [
        .authorization, .cookie, .setCookie, .proxyAuthorization,
    ]

    /// How a request changes the options that its client gives it.
    public typealias Override = @Sendable (inout RequestOptions) -> Void
}
