// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Synchronization

/// An HTTP proxy on the loopback interface that opens tunnels (CONNECT) and does nothing else.
struct TunnelProxy {
    let port: Int
    private let log: Log

    var url: String { "http://127.0.0.1:\(port)" }
    /// The heads of the requests that came.
    var heads: [String] { log.heads.withLock { $0 } }

    fileprivate final class Log: Sendable {
        let heads = Mutex<[String]>([])
    }

    /// - Parameter refusals: what it answers to the first requests, and then closes.
    static func withServer(refusals: [String] = [], _ body: (TunnelProxy) async throws -> Void) async throws {
        let log = Log()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.allowRemoteHalfClosure, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Tunnel(log, refusals))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        defer { channel.close(promise: nil) }
        try await body(TunnelProxy(port: channel.localAddress?.port ?? 0, log: log))
    }
}

/// The client's side of one tunnel.
private final class Tunnel: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let log: TunnelProxy.Log
    private let refusals: [String]
    private var head = ""
    private var server: (any Channel)?

    init(_ log: TunnelProxy.Log, _ refusals: [String]) {
        (self.log, self.refusals) = (log, refusals)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if let server { return server.writeAndFlush(buffer, promise: nil) }
        head += String(buffer: buffer)
        guard head.hasSuffix("\r\n\r\n") else { return }
        let count = log.heads.withLock { heads in
            heads.append(head)
            return heads.count
        }
        if count <= refusals.count {
            let answer = ByteBuffer(string: refusals[count - 1])
            let channel = context.channel
            return context.writeAndFlush(wrapOutboundOut(answer)).whenComplete { _ in channel.close(promise: nil) }
        }
        connect(
            context, port: head.split(separator: " ").dropFirst().first?.split(separator: ":").last.flatMap { Int($0) })
    }

    private func connect(_ context: ChannelHandlerContext, port: Int?) {
        let client = context.channel
        let tunnel = NIOLoopBound(self, eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { $0.pipeline.addHandler(Back(client, .orderly)) }
            .connect(host: "127.0.0.1", port: port ?? 0)
            .hop(to: context.eventLoop)
            .whenComplete { result in
                guard case .success(let channel) = result else {
                    let answer = ByteBuffer(string: "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
                    return client.writeAndFlush(answer).whenComplete { _ in client.close(promise: nil) }
                }
                tunnel.value.server = channel
                client.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 Connected\r\n\r\n"), promise: nil)
            }
    }

    func channelInactive(context: ChannelHandlerContext) { server?.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
