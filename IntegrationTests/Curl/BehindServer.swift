// SPDX-License-Identifier: Apache-2.0

import EchoServer
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Answers each request as its target says, in clear or over TLS (ALPN `http/1.1`), and then sends what nobody asked for.
final class BehindServer: Sendable {
    /// What is asked of the server, and what is to be seen of its answer.
    struct Answer: Sendable, CustomStringConvertible {
        enum Framing: String, CaseIterable, Sendable {
            case length, chunked, none, head, interim, lyingVersion
        }

        /// Nobody asked for any of these (RFC 9112 §9.2).
        enum Extra: String, CaseIterable, Sendable {
            case nothing, response, halfResponse, interim, lineEnd, byte
        }

        var number: Int
        var framing = Framing.length
        var size = 0
        /// Of the chunks.
        var piece = 1
        var extra = Extra.nothing
        /// How long after the answer it comes, in microseconds; `nil`: in one write with it.
        var delay: Int?

        var target: String {
            "/\(number)/\(framing.rawValue)/\(size)/\(piece)/\(extra.rawValue)/\(delay ?? -1)"
        }

        init(number: Int) { self.number = number }

        init?(target: Substring) {
            let parts = target.split(separator: "/")
            guard parts.count == 6, let number = Int(parts[0]), let framing = Framing(rawValue: String(parts[1])),
                let size = Int(parts[2]), let piece = Int(parts[3]), let extra = Extra(rawValue: String(parts[4])),
                let delay = Int(parts[5])
            else { return nil }
            self.number = number
            (self.framing, self.size, self.piece, self.extra) = (framing, size, piece, extra)
            self.delay = delay < 0 ? nil : delay
        }

        /// Differs for each number at each place.
        var body: [UInt8] {
            let count = framing == .none || framing == .head ? 0 : size
            let salt = number &* 31
            return [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
                for index in 0..<count { bytes[index] = UInt8(truncatingIfNeeded: index &* 7 &+ salt) }
                filled = count
            }
        }

        var isSpoiled: Bool { extra != .nothing }

        var description: String { target }
    }

    struct Log: Sendable {
        var connections = 0
        var requests = 0
        /// Those that came on a connection after something nobody asked for.
        var requestsBehind: [String] = []
        /// The numbers whose answer has gone out with all that follows.
        var done: Set<Int> = []
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    let url: String
    let authority: TestCertificateAuthority?
    private let channel: any Channel
    private let state: State

    final class State: Sendable {
        let log = Mutex(Log())
    }

    var log: Log { state.log.withLock { $0 } }

    static func withServer(isSecure: Bool, _ body: (BehindServer) async throws -> Void) async throws {
        let server = try await BehindServer(isSecure: isSecure)
        do {
            try await body(server)
        } catch {
            try? await server.channel.close()
            throw error
        }
        try? await server.channel.close()
    }

    private init(isSecure: Bool) async throws {
        let state = State()
        var context: NIOSSLContext?
        var authority: TestCertificateAuthority?
        if isSecure {
            let own = try TestCertificateAuthority()
            let identity = try own.issue()
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: [.certificate(try .init(bytes: Array(identity.certificatePEM.utf8), format: .pem))],
                privateKey: .privateKey(try .init(bytes: Array(identity.privateKeyPEM.utf8), format: .pem)))
            tls.applicationProtocols = ["http/1.1"]
            context = try NIOSSLContext(configuration: tls)
            authority = own
        }
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [context] channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.addHandler(BehindHandler(state))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.state = state
        self.authority = authority
        let port = channel.localAddress?.port ?? 0
        url = isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"
    }

    /// Waits until the answer has gone out, and what comes behind it: on this machine that has arrived then.
    func whenDone(_ number: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.log.withLock { log in
                if log.done.contains(number) { return true }
                log.waiting[number] = continuation
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}

private final class BehindHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let state: BehindServer.State
    private var request = ""
    private var isSpoiled = false

    init(_ state: BehindServer.State) {
        self.state = state
        state.log.withLock { $0.connections += 1 }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        request += String(buffer: unwrapInboundIn(data))
        guard request.hasSuffix("\r\n\r\n") else { return }
        let target = request.split(separator: " ").dropFirst().first ?? ""
        request = ""
        state.log.withLock { log in
            log.requests += 1
            if isSpoiled { log.requestsBehind.append(String(target)) }
        }
        guard let answer = BehindServer.Answer(target: target) else { return context.close(promise: nil) }
        send(answer, context)
    }

    private func send(_ answer: BehindServer.Answer, _ context: ChannelHandlerContext) {
        let extra = Self.extra(answer.extra)
        var bytes = Self.head(answer) + Self.framed(answer)
        if answer.delay == nil { bytes += extra }
        isSpoiled = answer.isSpoiled
        let sent = context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)))
        let state = state
        let number = answer.number
        guard let delay = answer.delay, !extra.isEmpty else {
            sent.whenComplete { _ in Self.finish(number, state) }
            return
        }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .microseconds(Int64(delay))) {
            let (handler, context) = bound.value
            context.writeAndFlush(handler.wrapOutboundOut(ByteBuffer(bytes: extra)))
                .whenComplete { _ in Self.finish(number, state) }
        }
    }

    private static func finish(_ number: Int, _ state: BehindServer.State) {
        state.log.withLock { log in
            log.done.insert(number)
            return log.waiting.removeValue(forKey: number)
        }?.resume()
    }

    private static func head(_ answer: BehindServer.Answer) -> [UInt8] {
        let number = "X-Number: \(answer.number)\r\n"
        let text =
            switch answer.framing {
            case .length, .head: "HTTP/1.1 200 OK\r\n\(number)Content-Length: \(answer.size)\r\n\r\n"
            case .interim:
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\(number)Content-Length: \(answer.size)\r\n\r\n"
            case .chunked: "HTTP/1.1 200 OK\r\n\(number)Transfer-Encoding: chunked\r\n\r\n"
            case .none: "HTTP/1.1 204 No Content\r\n\(number)\r\n"
            case .lyingVersion: "HTTP/2 200\r\n\(number)Content-Length: \(answer.size)\r\n\r\n"
            }
        return Array(text.utf8)
    }

    private static func framed(_ answer: BehindServer.Answer) -> [UInt8] {
        guard answer.framing == .chunked else { return answer.body }
        let body = answer.body
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: body.count, by: answer.piece) {
            let chunk = body[start..<min(body.count, start + answer.piece)]
            bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    private static func extra(_ extra: BehindServer.Answer.Extra) -> [UInt8] {
        let response = "HTTP/1.1 200 OK\r\nX-Number: evil\r\nContent-Length: 4\r\n\r\nevil"
        let text =
            switch extra {
            case .nothing: ""
            case .response: response
            case .halfResponse: String(response.prefix(30))
            case .interim: "HTTP/1.1 100 Continue\r\n\r\n"
            case .lineEnd: "\r\n"
            case .byte: "e"
            }
        return Array(text.utf8)
    }
}
