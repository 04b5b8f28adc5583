// SPDX-License-Identifier: Apache-2.0

import EchoServer
import NIOCore
import NIOPosix
import NIOSSL

/// Answers every request over TLS with the same records.
enum RecordServer {
    static func withServer(
        _ records: [String], _ body: (_ url: String, _ authority: TestCertificateAuthority) async throws -> Void
    ) async throws {
        let authority = try TestCertificateAuthority()
        let identity = try authority.issue()
        let tls = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: [.certificate(.init(bytes: Array(identity.certificatePEM.utf8), format: .pem))],
                privateKey: .privateKey(.init(bytes: Array(identity.privateKeyPEM.utf8), format: .pem))))
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: tls), RecordHandler(records),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        defer { channel.close(promise: nil) }
        try await body("https://localhost:\(channel.localAddress?.port ?? 0)", authority)
    }
}

private final class RecordHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let records: [String]
    private var request = ""

    init(_ records: [String]) { self.records = records }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        request += String(buffer: unwrapInboundIn(data))
        guard request.hasSuffix("\r\n\r\n") else { return }
        request = ""
        for record in records { context.write(wrapOutboundOut(ByteBuffer(string: record)), promise: nil) }
        context.flush()
    }
}
