// SPDX-License-Identifier: Apache-2.0

import Harness
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// swift-nio's WebSocket client, with its asynchronous channel, as in its own example: `what=socket url=http://HOST:PORT n=… size=…`.
enum NIOSockets {
    private typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

    private enum Opened {
        case socket(Frames)
        case refused
    }

    private struct NoSocket: Error {}

    static func run(_ arguments: Arguments, _ group: MultiThreadedEventLoopGroup) async throws {
        let address = arguments.url.split(separator: "/").dropFirst().first?.split(separator: ":") ?? []
        guard address.count == 2, let port = Int(address[1]) else { throw NoSocket() }
        let opened = try await ClientBootstrap(group: group)
            .connect(host: String(address[0]), port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try upgrade(channel, host: String(address[0])) }
            }
        guard case .socket(let frames) = try await opened.get() else { throw NoSocket() }
        let size = arguments.number("size", 100)
        try await frames.executeThenClose { inbound, outbound in
            // Unsafe in name alone: one task sends and reads in turn.
            nonisolated(unsafe) var iterator = inbound.makeAsyncIterator()
            func send(_ text: ByteBuffer) async throws {
                try await outbound.write(
                    WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: text))
            }
            let text = ByteBuffer(repeating: UInt8(ascii: "*"), count: size)
            try await SocketMeasurement(arguments).run {
                try await send(text)
            } receiving: {
                while let frame = try await iterator.next() {
                    if frame.opcode == .text { return }
                }
                throw NoSocket()
            } bursting: { count in
                try await send(ByteBuffer(string: "burst \(count) \(size)"))
            }
        }
    }

    private static func upgrade(_ channel: any Channel, host: String) throws -> EventLoopFuture<Opened> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Opened> { channel, _ in
            channel.eventLoop.makeCompletedFuture { .socket(try Frames(wrappingChannelSynchronously: channel)) }
        }
        // Without a length: Python's websockets refuses a handshake that has one.
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: ["Host": host])
        let configuration = NIOTypedHTTPClientUpgradeConfiguration(
            upgradeRequestHead: head, upgraders: [upgrader],
            notUpgradingCompletionHandler: { $0.eventLoop.makeSucceededFuture(.refused) })
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: .init(upgradeConfiguration: configuration))
    }
}
