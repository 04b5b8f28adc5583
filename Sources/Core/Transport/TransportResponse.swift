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
    /// The URL that answered; set by the client.
    public internal(set) var url: String?

    public init(head: HTTPResponse, body: ResponseBody = ResponseBody(), metrics: TransportMetrics? = nil) {
        self.head = head
        self.body = body
        self.metrics = metrics
    }

    /// What happened in the call until now.
    public var exchange: ExchangeRecord { call?.record ?? ExchangeRecord() }
}
