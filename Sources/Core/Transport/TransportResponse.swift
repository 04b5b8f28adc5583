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
