// SPDX-License-Identifier: Apache-2.0

/// What a transport knows about one exchange. `nil`: it does not know.
public struct TransportMetrics: Hashable, Sendable {
    /// `HTTP/1.1`, `HTTP/2` …
    public var httpVersion: String?
    public var isConnectionReused: Bool?
    public var remoteAddress: String?
    public var bytesSent: Int64?
    /// Bytes of the body as they came over the wire, before decoding.
    public var encodedBytesReceived: Int64?
    /// The field that decoding removed from the head.
    public var contentEncoding: String?
    /// The field that decoding removed from the head.
    public var contentLength: Int64?

    // Times since the exchange began, in the order in which they pass.
    public var nameLookup: Duration?
    public var connected: Duration?
    public var secured: Duration?
    public var firstByte: Duration?
    public var total: Duration?

    public init() {}
}
