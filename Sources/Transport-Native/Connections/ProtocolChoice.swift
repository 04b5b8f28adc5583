// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// What a connection may speak. Each has connections of its own.
enum ProtocolChoice: Hashable, CaseIterable {
    case http1
    /// What TLS negotiates (RFC 7301): HTTP/2 or HTTP/1.1.
    case negotiated
    /// HTTP/2 from the first byte (RFC 9113 §3.3).
    case http2

    /// - Parameter needsHTTP1: whether it is a request that HTTP/2 has no words for.
    /// - Throws: `unsupportedByTransport`.
    init(_ policy: HTTPVersionPolicy, _ scheme: String?, needsHTTP1: Bool) throws(NetworkClientError) {
        switch policy {
        // Without TLS nothing is negotiated.
        case .automatic: self = scheme == "https" && !needsHTTP1 ? .negotiated : .http1
        case .http1: self = .http1
        case .http2PriorKnowledge:
            guard !needsHTTP1 else {
                throw NetworkClientError(
                    .unsupportedByTransport,
                    "over HTTP/2 another protocol is asked for by GET, without a body (RFC 8441 §4); ask for HTTP/1.1")
            }
            self = .http2
        default:
            throw NetworkClientError(
                .unsupportedByTransport, "NativeTransport has no HTTP/3; CurlTransport (module StrataCurl) may have it")
        }
    }

    /// What is offered by ALPN.
    var names: [String] {
        switch self {
        case .http1: ["http/1.1"]
        case .negotiated: ["h2", "http/1.1"]
        case .http2: ["h2"]
        }
    }

    /// Whether a connection speaks HTTP/2.
    ///
    /// - Parameter chosen: by the server; `nil` for nothing, or without TLS.
    func isHTTP2(_ chosen: String?) -> Bool { self == .http2 || self == .negotiated && chosen == "h2" }
}
