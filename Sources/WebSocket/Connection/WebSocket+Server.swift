// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StrataCore
import StrataStreaming

// The server's end, for the doubles of a server in StrataTesting.

extension WebSocket {
    /// What a server answers in `Sec-WebSocket-Extensions`; `nil` for a socket without compression.
    package static func extensionAnswer(to request: HTTPRequest, options: Options) -> String? {
        guard let terms = CompressionTerms.answering(request, options: options) else { return nil }
        var text = "permessage-deflate"
        if !terms.clientKeepsContext { text += "; client_no_context_takeover" }
        if !terms.serverKeepsContext { text += "; server_no_context_takeover" }
        if terms.clientWindowBits < 15 { text += "; client_max_window_bits=\(terms.clientWindowBits)" }
        if terms.serverWindowBits < 15 { text += "; server_max_window_bits=\(terms.serverWindowBits)" }
        return text
    }

    /// The server's end of a channel whose handshake has been answered.
    package convenience init(
        serving channel: ByteChannel, request: HTTPRequest, options: Options, clock: any NetworkClock,
        encoder: any RequestBodyEncoder, decoder: any ResponseBodyDecoder
    ) {
        let engine = WebSocketEngine(
            channel, role: .server, terms: CompressionTerms.answering(request, options: options), clock: clock,
            options: options)
        self.init(
            engine, TransportResponse(head: HTTPResponse(status: .switchingProtocols)), onDecodingFailure: nil,
            encoder: encoder, decoder: decoder, subprotocol: nil)
    }
}

extension CompressionTerms {
    /// What a server with these options makes of a client's offer.
    fileprivate static func answering(_ request: HTTPRequest, options: WebSocket.Options) -> CompressionTerms? {
        guard let compression = options.compression,
            let offers = try? request.headerFields[values: .secWebSocketExtensions].flatMap(ExtensionField.parse),
            let offer = offers.first(where: { $0.name == "permessage-deflate" })
        else { return nil }
        var terms = CompressionTerms(
            serverWindowBits: compression.serverWindowBits, clientKeepsContext: !compression.resetsClientContext,
            serverKeepsContext: !compression.resetsServerContext)
        for (name, value) in offer.parameters {
            switch name {
            case "server_no_context_takeover": terms.serverKeepsContext = false
            case "server_max_window_bits":
                terms.serverWindowBits = min(terms.serverWindowBits, value.flatMap { Int($0) } ?? 15)
            case "client_max_window_bits":
                terms.clientWindowBits = min(compression.clientWindowBits, value.flatMap { Int($0) } ?? 15)
            default: break
            }
        }
        return terms
    }
}
