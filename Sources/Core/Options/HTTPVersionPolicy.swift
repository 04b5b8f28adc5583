// SPDX-License-Identifier: Apache-2.0

/// Which version of HTTP a request is sent with.
///
/// A transport without the capability fails with ``NetworkClientError/Code-swift.struct/unsupportedByTransport`` before
/// anything is sent: URLSession for all but ``automatic``.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum HTTPVersionPolicy: Hashable, Sendable {
    /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
    case automatic
    /// HTTP/1.1 alone. Needs the capability `httpVersionChoice`.
    case http1
    /// HTTP/2 from the first byte, also without TLS (RFC 9113 §3.3). Needs the capability `http2PriorKnowledge`.
    case http2PriorKnowledge
    /// HTTP/3 over QUIC, and nothing else (RFC 9114). Needs the capability `http3`, and an `https` URL.
    case http3
}
