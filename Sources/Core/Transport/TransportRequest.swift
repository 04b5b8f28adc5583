// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A request on its way down: the head with an absolute URL, the body, and how it is to be carried out.
public struct TransportRequest: Sendable {
    /// Scheme, authority and path are set; the path is in origin form, encoded, with its query.
    public var head: HTTPRequest
    @usableFromInline var rest: CopyOnWrite<Rest>
    /// What the layers of the call share; set by ``NetworkClientProtocol/execute(_:)``.
    public internal(set) var call: CallContext?

    /// Most layers hand it on as it is.
    @usableFromInline
    struct Rest: Sendable {
        @usableFromInline var body: RequestBody
        @usableFromInline var options: RequestOptions
        @usableFromInline var middleware: [any NetworkMiddleware]?
    }

    @inlinable public var body: RequestBody {
        _read { yield rest.value.body }
        _modify { yield &rest.value.body }
    }

    @inlinable public var options: RequestOptions {
        _read { yield rest.value.options }
        _modify { yield &rest.value.options }
    }

    /// Replaces the configuration's list of middleware when it is given. In the request that the layers see it is
    /// `nil`.
    @inlinable public var middleware: [any NetworkMiddleware]? {
        _read { yield rest.value.middleware }
        _modify { yield &rest.value.middleware }
    }
}

extension TransportRequest {
    public init(head: HTTPRequest, body: RequestBody = .empty, options: RequestOptions = RequestOptions()) {
        self.head = head
        rest = CopyOnWrite(Rest(body: body, options: options))
    }

    /// A request to an absolute `http` or `https` URL. User information in it becomes a Basic `Authorization` field.
    ///
    /// - `options`: everything that holds for the request; a client adds no options of its own.
    /// - Throws: ``NetworkClientError/Code-swift.struct/malformedURL``.
    public init(
        method: HTTPMethod = .get, url: String, headerFields: HTTPFields = [:], body: RequestBody = .empty,
        options: RequestOptions = RequestOptions()
    ) throws {
        self.init(method: method, url: try RequestURL(url), headerFields: headerFields, body: body, options: options)
    }

    /// The same for a `URL`.
    ///
    /// - Throws: ``NetworkClientError/Code-swift.struct/malformedURL``.
    public init(
        method: HTTPMethod = .get, url: URL, headerFields: HTTPFields = [:], body: RequestBody = .empty,
        options: RequestOptions = RequestOptions()
    ) throws {
        try self.init(method: method, url: url.absoluteString, headerFields: headerFields, body: body, options: options)
    }

    package init(
        method: HTTPMethod, url: RequestURL, headerFields: HTTPFields, body: RequestBody,
        options: RequestOptions, middleware: [any NetworkMiddleware]? = nil
    ) {
        var head = HTTPRequest(
            method: method, scheme: url.scheme, authority: url.authority, path: url.target, headerFields: headerFields)
        if let userinfo = url.userinfo, head.headerFields[.authorization] == nil {
            head.headerFields[.authorization] = "Basic \(Data(userinfo).base64EncodedString())"
        }
        self.init(head: head, body: body, options: options)
        self.middleware = middleware
    }

    /// The absolute URL, query included: not for logs.
    public var url: String { head.absoluteURL }

    /// The origin that the request goes to; `nil` when the head is not well formed.
    public var origin: Origin? { Origin(scheme: head.scheme, authority: head.authority) }

    /// Whether the request goes to the client's own server (``CallContext/destination(of:)``), for which alone secrets
    /// are that a client adds by itself. A request that no client has sent does.
    package var isAtHome: Bool { call.map { $0.destination(of: self) == .home } ?? true }

    /// How long a transport may take for the exchange, body included: the smaller of the attempt's limit and what is
    /// left of the deadline, and which of the two it is.
    public var timeLimit: (duration: Duration, kind: Timeouts.Kind)? {
        let remaining = call?.remaining
        guard let attempt = options.timeouts.attempt else { return remaining.map { ($0, .deadline) } }
        guard let remaining, remaining < attempt else { return (attempt, .attempt) }
        return (remaining, .deadline)
    }

    /// Rejects characters that may not go on the wire, and parts of a URL that would name another server when they are
    /// put together.
    ///
    /// - Throws: ``NetworkClientError/Code-swift.struct/malformedURL``; `invalidRequest` for a TRACE with a body, and
    ///   `uploadFailed` for a body of negative length.
    package func validate() throws {
        guard let scheme = head.scheme, scheme == "http" || scheme == "https", let authority = head.authority,
            !authority.isEmpty
        else {
            throw NetworkClientError(.malformedURL, "the request has no absolute http or https URL")
        }
        try Self.check(authority: authority)
        // A path without the slash would extend the authority.
        guard var path = head.path, path.utf8.first == UInt8(ascii: "/") else {
            throw NetworkClientError(.malformedURL, "the path does not begin with a slash")
        }
        guard path.withUTF8({ $0.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") } }) else {
            throw NetworkClientError(.malformedURL, "the path has a character that is not allowed")
        }
        if head.method == .trace, !body.isEmpty {
            throw NetworkClientError(.invalidRequest, "a TRACE request has no content (RFC 9110 §9.3.8)")
        }
        if let length = body.length, length < 0 {
            throw NetworkClientError(.uploadFailed, "the announced length of the request's body is negative")
        }
    }

    private static func check(authority: String) throws {
        var authority = authority
        // Through the buffer: an index into a string costs more than the comparison.
        if authority.withUTF8(isPlain) { return }
        guard
            authority.withUTF8({
                $0.allSatisfy { byte in
                    byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "@") && byte != UInt8(ascii: "/")
                        && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "\\")
                }
            })
        else {
            throw NetworkClientError(.malformedURL, "the authority has a character that is not allowed")
        }
        _ = try URLAuthority(authority)
    }

    /// Whether the authority is a name or an IPv4 address, perhaps with a port, and so need not be parsed.
    private static func isPlain(_ authority: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let end = authority.firstIndex(where: { !URLHost.isPlain($0) }) else { return true }
        let port = authority[(end + 1)...]
        guard end > 0, authority[end] == UInt8(ascii: ":"), port.count <= 5, port.allSatisfy(\.isDigit) else {
            return false
        }
        return port.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 65535
    }
}

extension TransportRequest: DumpedAsDescription {
    /// `POST https://api.example/users (12 bytes)`: without user information, query, fields and body.
    public var description: String {
        "\(head.method.rawValue) \(head.urlWithoutQuery)\(body.isEmpty ? "" : " (\(body))")"
    }
}
