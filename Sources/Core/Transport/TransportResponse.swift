// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response on its way up: the head, and a body that may still be arriving.
public struct TransportResponse: Sendable {
    public var head: HTTPResponse
    @usableFromInline var rest: CopyOnWrite<Rest>

    /// Most layers hand it on as it is.
    @usableFromInline
    struct Rest: Sendable {
        @usableFromInline var body: ResponseBody
        @usableFromInline var metrics: TransportMetrics?
        var finalMetrics: (@Sendable () -> TransportMetrics?)?
        var call: CallContext?
        var request: HTTPRequest?
    }

    public init(head: HTTPResponse, body: ResponseBody = ResponseBody(), metrics: TransportMetrics? = nil) {
        self.head = head
        rest = CopyOnWrite(Rest(body: body, metrics: metrics))
    }

    @inlinable public var body: ResponseBody {
        _read { yield rest.value.body }
        _modify { yield &rest.value.body }
    }

    /// What the transport knows about the exchange when the head has arrived.
    @inlinable public var metrics: TransportMetrics? {
        _read { yield rest.value.metrics }
        _modify { yield &rest.value.metrics }
    }

    /// Returns what the transport knows when the body has ended, for the call's record. Set by transports that hand out
    /// the body while it arrives.
    package var finalMetrics: (@Sendable () -> TransportMetrics?)? {
        get { rest.value.finalMetrics }
        set { rest.value.finalMetrics = newValue }
    }

    /// The call that it belongs to; set by the client.
    public internal(set) var call: CallContext? {
        _read { yield rest.value.call }
        _modify { yield &rest.value.call }
    }

    /// The request that it answers, after redirects; set by the client.
    public internal(set) var request: HTTPRequest? {
        _read { yield rest.value.request }
        _modify { yield &rest.value.request }
    }
}

extension TransportResponse {
    /// The fields behind the body (RFC 9110 §6.5); empty when there are none, as with transports that do not claim
    /// ``TransportCapabilities/Features/responseTrailers``.
    ///
    ///     for try await piece in response.body { hash.update(data: piece) }
    ///     guard try await response.trailers[digestField] == hash.digest else { … }
    ///
    /// They are there when the body has been read to its end, and at once behind a body that has arrived whole. They never become fields
    /// of the head. Those that may not stand behind a body are left out (RFC 9110 §6.5.1), such as `Content-Length`, `Set-Cookie` or
    /// `Cache-Control`. They count towards the bytes that a transport takes for heads.
    ///
    /// - Throws: ``NetworkClientError/Code-swift.struct/bodyNotRead`` at once, when the body has not been read to its end: nobody else may
    ///   do so.
    public var trailers: HTTPFields {
        get async throws { try body.trailers() ?? [:] }
    }

    /// The connection, when the server has switched protocols (``RequestOptions/upgrade``).
    ///
    /// It is closed when neither the response nor anybody else has it any more, and when the ``body``, which is empty, is cancelled.
    public var channel: ByteChannel? { body.channel }

    /// The answer of a server that has switched protocols, for transports.
    ///
    /// - `head`: with the status 101, and the protocol in `Upgrade`. What a server says instead over HTTP/2 (RFC 8441) is translated.
    /// - `connection`: what comes and goes behind the head. It is cancelled when this throws.
    /// - Throws: ``NetworkClientError/Code-swift.struct/protocolViolation`` when the request has not asked for the protocol that the head
    ///   names (RFC 9110 §7.8).
    public init(switching head: HTTPResponse, to connection: any ByteConnection, for request: TransportRequest) throws {
        guard head.status == .switchingProtocols, let asked = request.options.upgrade else {
            connection.cancel()
            throw NetworkClientError(
                .protocolViolation, "the server switched protocols, which nobody had asked for")
        }
        guard UpgradeProtocol(asked)?.isAmong(head.headerFields[values: .upgrade]) == true else {
            connection.cancel()
            throw NetworkClientError(
                .protocolViolation, "the server switched to another protocol than it was asked to", response: head)
        }
        self.init(head: head, body: ResponseBody(ByteChannel(connection)))
    }

    /// Puts something around the connection, when the server has switched protocols.
    package mutating func mapConnection(_ transform: (any ByteConnection) -> any ByteConnection) {
        if let channel { body = ResponseBody(channel.handedOn(transform)) }
    }

    /// The URL that answered, query included; `nil` before the client has set ``request``.
    public var url: String? { request?.absoluteURL }

    /// What happened in the call until now.
    public var exchange: ExchangeRecord { call?.record ?? ExchangeRecord() }
}

extension TransportResponse: DumpedAsDescription {
    /// `GET https://api.example/users -> 200 (12 bytes)`: without query, fields and body.
    public var description: String {
        let text = "\(head.status.code) (\(body))"
        return request.map { "\($0.method.rawValue) \($0.urlWithoutQuery) -> \(text)" } ?? text
    }
}
