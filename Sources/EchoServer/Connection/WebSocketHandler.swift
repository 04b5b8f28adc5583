// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOWebSocket

/// `GET /websocket` with an upgrade: sends back each message. By swift-nio's frames, so that the client under test does not check itself.
///
/// The handlers of the frames stand before those of HTTP, which see no bytes any more.
final class WebSocketHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private var key: String?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head) where Self.asksForASocket(head):
            key = head.headerFields[.secWebSocketKey]
        case .body where key != nil: break
        case .end where key != nil:
            if let key { open(context, key: key) }
        default: context.fireChannelRead(data)
        }
    }

    private static func asksForASocket(_ head: HTTPRequest) -> Bool {
        head.method == .get && head.path?.split(separator: "?").first == "/websocket"
            && head.headerFields[.upgrade]?.lowercased() == "websocket" && head.headerFields[.secWebSocketKey] != nil
    }

    /// RFC 6455 §4.2.2.
    private static func accept(_ key: String) -> String {
        let hash = Insecure.SHA1.hash(data: Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return Data(hash).base64EncodedString()
    }

    private func open(_ context: ChannelHandlerContext, key: String) {
        let pipeline = context.pipeline.syncOperations
        guard let first = try? pipeline.handler(type: HTTPResponseEncoder.self) else { return }
        let head = HTTPResponse(
            status: .switchingProtocols,
            headerFields: [
                .connection: "Upgrade", .upgrade: "websocket", .secWebSocketAccept: Self.accept(key),
            ])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        try? pipeline.addHandlers(
            [
                WebSocketFrameEncoder(), ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: 1 << 24)),
                NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1 << 16, maxAccumulatedFrameSize: 1 << 24),
                EchoedFrames(),
            ], position: .before(first))
    }
}

/// Sends messages back, answers pings, and closes when it is asked to.
private final class EchoedFrames: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text, .binary: send(frame.opcode, frame, context)
        case .ping: send(.pong, frame, context)
        case .connectionClose:
            send(.connectionClose, frame, context)
            context.close(promise: nil)
        default: break
        }
    }

    private func send(_ opcode: WebSocketOpcode, _ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
        let answer = WebSocketFrame(fin: true, opcode: opcode, data: frame.unmaskedData)
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
