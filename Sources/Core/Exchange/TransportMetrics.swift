// SPDX-License-Identifier: Apache-2.0

/// What a transport knows about one exchange: of a response when its head is handed out, in a record also when the body
/// has ended. `nil`: it does not know.
///
/// Times are since the exchange began. libcurl fills in all of it, URLSession ``firstByte``, ``contentEncoding`` and
/// ``contentLength``.
public struct TransportMetrics: Hashable, Sendable {
    /// `HTTP/1.1`, `HTTP/2` …
    public var httpVersion: String?
    /// Whether no connection was made for the exchange.
    public var isConnectionReused: Bool?
    /// The IP address at the other end of the connection, which may be a proxy's; without a port.
    public var remoteAddress: String?
    /// Bytes of the request's body.
    public var bytesSent: Int64?
    /// Bytes of the response's body until then, as they came over the wire, before decoding.
    public var encodedBytesReceived: Int64?
    /// The field that decoding removed from the head.
    public var contentEncoding: String?
    /// The field that decoding removed from the head.
    public var contentLength: Int64?
    /// How many lines of the head were no valid fields and left out; see ``RequestOptions/skipsInvalidFields``. `nil` for none.
    public var skippedFieldLines: Int?

    /// When the host's addresses were known. `nil` on a reused connection.
    public var nameLookup: Duration?
    /// When the connection was made. `nil` on a reused one.
    public var connected: Duration?
    /// When the TLS handshake was done. `nil` on a reused connection, and without TLS.
    public var secured: Duration?
    /// When the response began.
    public var firstByte: Duration?
    /// When these values were taken.
    public var total: Duration?

    public init() {}

    /// Takes over what is known at the end of the body, except for what decoding has noted.
    mutating func complete(with later: TransportMetrics) {
        var later = later
        later.contentEncoding = contentEncoding
        later.contentLength = contentLength
        self = later
    }
}
