// SPDX-License-Identifier: Apache-2.0

import EchoServer
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// Puts TLS before a plain server on the loopback interface: what comes over TLS is handed on, and what comes back, so that the
/// scripts of a `RawServer` are played over TLS.
struct TLSFront {
    /// What happens to the client's connection when the server has ended its own.
    enum Ending: Sendable {
        /// `close_notify`, and then the end of the connection: a reset, when bytes of the client's have not been read.
        case orderly
        /// The end of the connection alone.
        case withoutCloseNotify
    }

    let url: String
    let authority: TestCertificateAuthority

    /// - Parameter ports: of the plain servers, by what ALPN chooses (`h2`, `http/1.1`).
    static func withServer(
        _ ports: [String: Int], ending: Ending = .orderly, _ body: (TLSFront) async throws -> Void
    ) async throws {
        let authority = try TestCertificateAuthority()
        let identity = try authority.issue()
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try .init(bytes: Array(identity.certificatePEM.utf8), format: .pem))],
            privateKey: .privateKey(try .init(bytes: Array(identity.privateKeyPEM.utf8), format: .pem)))
        configuration.applicationProtocols = ports.keys.sorted()
        let tls = try NIOSSLContext(configuration: configuration)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        Cutter(), NIOSSLServerHandler(context: tls), Front(ports, ending),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        defer { channel.close(promise: nil) }
        try await body(TLSFront(url: "https://localhost:\(channel.localAddress?.port ?? 0)", authority: authority))
    }
}

/// Stands before TLS, and can end the connection without it.
private final class Cutter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    struct Cut {}

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        if event is Cut {
            context.close(promise: promise)
        } else {
            context.triggerUserOutboundEvent(event, promise: promise)
        }
    }
}

/// The client's side.
private final class Front: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let ports: [String: Int]
    private let ending: TLSFront.Ending
    private var server: (any Channel)?
    private var waiting: [ByteBuffer] = []

    init(_ ports: [String: Int], _ ending: TLSFront.Ending) {
        (self.ports, self.ending) = (ports, ending)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let chosen) = event as? TLSUserEvent {
            connect(context, port: ports[chosen ?? "http/1.1"] ?? ports.values.first ?? 0)
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func connect(_ context: ChannelHandlerContext, port: Int) {
        let (client, ending) = (context.channel, ending)
        let front = NIOLoopBound(self, eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { $0.pipeline.addHandler(Back(client, ending)) }
            .connect(host: "127.0.0.1", port: port)
            .hop(to: context.eventLoop)
            .whenComplete { result in
                guard case .success(let channel) = result else { return client.close(promise: nil) }
                front.value.connected(channel)
            }
    }

    private func connected(_ channel: any Channel) {
        server = channel
        for buffer in waiting { channel.write(buffer, promise: nil) }
        waiting = []
        channel.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard let server else { return waiting.append(buffer) }
        server.writeAndFlush(buffer, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { server?.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// The server's side: what comes goes to the client.
final class Back: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let client: any Channel
    private let ending: TLSFront.Ending

    init(_ client: any Channel, _ ending: TLSFront.Ending) {
        (self.client, self.ending) = (client, ending)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        switch ending {
        case .orderly: client.close(promise: nil)
        case .withoutCloseNotify: client.triggerUserOutboundEvent(Cutter.Cut(), promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
