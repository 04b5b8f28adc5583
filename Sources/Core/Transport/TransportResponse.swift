// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response on its way up: the head, and a body that may still be arriving.
public struct TransportResponse: Sendable {
    public typealias Head = HTTPResponse

    public var head: HTTPResponse
    public var body: ResponseBody
    /// What the transport knows about the exchange when the head has arrived.
    public var metrics: TransportMetrics?
    /// The call that it belongs to; set by the client.
    public internal(set) var call: CallContext?
    /// The request that it answers, after redirects; set by the client.
    public internal(set) var request: HTTPRequest?
    /// A layer has judged the status acceptable: the client's own policy does not matter any more.
    package var isStatusAccepted = false
}

extension TransportResponse {
    public init(head: HTTPResponse, body: ResponseBody = ResponseBody(), metrics: TransportMetrics? = nil) {
        self.init(head: head, body: body, metrics: metrics, call: nil, request: nil)
    }

    /// The URL that answered, query included; `nil` before the client has set ``request``.
    public var url: String? { request?.absoluteURL }

    /// What happened in the call until now.
    public var exchange: ExchangeRecord { call?.record ?? ExchangeRecord() }
}
