// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Answers requests of HTTP/1.0 so that their clients find the end: without chunks (RFC 9112 §6.1), and by closing the
/// connection, unless the client asks for it to be kept and the length is known (§9.3).
///
/// It stands before the codec that converts to `HTTPResponse`, which has no version.
final class HTTP10Handler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Those whose response has not ended, which may be several when requests are pipelined.
    private var requests: CircularBuffer<HTTPRequestHead> = []
    /// Whether the connection ends with the response that is under way.
    private var isLast = false
    private var hasEnded = false

    /// That of the request which is being answered.
    var version: HTTPVersion? { requests.first?.version }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) { requests.append(head) }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // Answers to requests behind the last would be taken for the rest of its body.
        guard !hasEnded else {
            promise?.succeed()
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if let request = requests.first, request.version == .http1_0 { frame(&head, for: request) }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            _ = requests.popFirst()
            var promise = promise
            if isLast {
                hasEnded = true
                let written = promise ?? context.eventLoop.makePromise()
                // Not before: where the client has closed its side, this closes the other at once.
                written.futureResult.assumeIsolated().whenComplete { _ in context.close(mode: .output, promise: nil) }
                promise = written
            }
            context.write(data, promise: promise)
        }
    }

    private func frame(_ head: inout HTTPResponseHead, for request: HTTPRequestHead) {
        let hasLength = head.headers.contains(name: "Content-Length") || !head.status.mayHaveResponseBody
        // In HTTP/1.1 the encoder would send it in chunks.
        if !hasLength { head.version = .http1_0 }
        let wantsClose = request.headers[canonicalForm: "connection"].contains { $0.lowercased() == "close" }
        isLast = !hasLength || wantsClose || !request.isKeepAlive
        head.headers.add(name: "Connection", value: isLast ? "close" : "keep-alive")
    }
}
