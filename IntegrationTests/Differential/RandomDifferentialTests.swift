// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import HTTPTypes
import StrataCore
import StrataNative
import Synchronization
import Testing

@testable import StrataTesting

/// The native transport and libcurl side by side over random exchanges in HTTP/1.1 and HTTP/2, without and with TLS and proxies: see
/// ``DifferentialRun``.
struct RandomDifferentialTests {
    // MARK: - HTTP/1.1

    private static func startServer(isOld: Bool? = nil) throws -> RawServer {
        try RawServer.start(answering: { request in
            // A proxy is given the whole URL.
            request.target.split(separator: "/").last.flatMap { Int($0) }
                .flatMap { RandomExchange($0, isOld: isOld, seed: DifferentialRun.seed).script(for: request) }
        })
    }

    private static func lane(
        _ pair: TransportPair, _ url: String, old: String, workers: Int = 8
    ) -> DifferentialLane {
        DifferentialLane(pair: pair, workers: workers) { number, configure in
            let exchange = RandomExchange(number, seed: DifferentialRun.seed)
            return try sent(exchange, to: exchange.isOld ? old : url, configure)
        }
    }

    private static func sent(
        _ exchange: RandomExchange, to url: String, _ configure: (inout RequestOptions) -> Void
    ) throws -> DifferentialLane.Exchange {
        .init(
            request: try exchange.request(to: url, configure), description: "\(exchange)", content: exchange.answered,
            mayBeCutOff: exchange.mayBeCutOff)
    }

    @Test func nativeAndCurlAgree() async throws {
        try await DifferentialRun.compare("over HTTP/1.1") { run in
            let (server, old) = (try Self.startServer(), try Self.startServer())
            defer { for server in [server, old] { server.stop() } }
            let pair = TransportPair()
            try await run([Self.lane(pair, server.url, old: old.url)])
            await pair.shutdown()
        }
    }

    @Test func agreeThroughAForwardProxy() async throws {
        try await DifferentialRun.compare("through a forward proxy") { run in
            let (proxy, old) = (try Self.startServer(isOld: false), try Self.startServer(isOld: true))
            defer { for server in [proxy, old] { server.stop() } }
            let pairs = [proxy, old].map { server in TransportPair { $0.proxy = .url(server.url) } }
            let url = "http://origin.example:8080"
            // Of the two one speaks HTTP/1.0: a lane for each takes what is for it.
            try await run([
                DifferentialLane(pair: pairs[0], workers: 8) { number, configure in
                    let exchange = RandomExchange(number, isOld: false, seed: DifferentialRun.seed)
                    return try Self.sent(exchange, to: url, configure)
                },
                DifferentialLane(pair: pairs[1], workers: 4) { number, configure in
                    let exchange = RandomExchange(number, isOld: true, seed: DifferentialRun.seed)
                    return try Self.sent(exchange, to: "http://old.example", configure)
                },
            ])
            for pair in pairs { await pair.shutdown() }
        }
    }

    @Test func agreeThroughATunnel() async throws {
        try await DifferentialRun.compare("in HTTP/1.1 through a tunnel") { run in
            let (server, old) = (try Self.startServer(), try Self.startServer())
            defer { for server in [server, old] { server.stop() } }
            try await Self.withFronts([server.port, old.port], "http/1.1") { urls, trust in
                try await TunnelProxy.withServer { proxy in
                    let pair = TransportPair(whole: true) {
                        $0.tls.trust = .pem(trust)
                        $0.proxy = .url(proxy.url)
                    }
                    try await run([Self.lane(pair, urls[0], old: urls[1])])
                    await pair.shutdown()
                }
            }
        }
    }

    // MARK: - HTTP/2

    /// How many servers have one exchange at a time, so that something may happen to their connections. One more has several.
    private static let alone = 4

    private static func startStreamServer(isAlone: Bool, isSecure: Bool = false) throws -> RawServer {
        let (blocks, attempts) = (HeaderBlocks(), Attempts())
        return try RawServer.start(streamsAnswering: { connection, head in
            let fields = blocks.fields(of: head, on: connection)
            let path = fields[":path"] ?? ""
            guard let number = path.split(separator: "/").last.flatMap({ Int($0) }) else { return [.close] }
            let exchange = streamExchange(number, isAlone: isAlone, isSecure: isSecure)
            return exchange.script(attempt: attempts.next(path), on: head.stream, fields)
        })
    }

    /// Over TLS libcurl (7.88.1) often waits on a stream that is answered early, until the idle limit ends that.
    private static func streamExchange(_ number: Int, isAlone: Bool, isSecure: Bool) -> RandomStreamExchange {
        RandomStreamExchange(number, isAlone: isAlone, mayBeEarly: !isSecure, seed: DifferentialRun.seed)
    }

    /// How often a path was asked for.
    private final class Attempts: Sendable {
        private let state = Mutex<[String: Int]>([:])

        func next(_ path: String) -> Int {
            state.withLock { counts in
                counts[path, default: 0] += 1
                return (counts[path] ?? 1) - 1
            }
        }
    }

    private static func lanes(
        _ pair: TransportPair, _ urls: [String], isSecure: Bool = false
    ) -> [DifferentialLane] {
        urls.enumerated().map { place, url in
            let isAlone = !isSecure && place < alone
            return DifferentialLane(pair: pair, workers: isAlone ? 1 : 6) { number, configure in
                let exchange = streamExchange(number, isAlone: isAlone, isSecure: isSecure)
                let request = try exchange.request(to: url) {
                    // Unless it is asked for HTTP/2, CurlTransport sends bodies by HTTP/1.1 with an old libcurl.
                    $0.httpVersion = isSecure && !exchange.hasBody ? .automatic : .http2PriorKnowledge
                    configure(&$0)
                }
                return .init(
                    request: request, description: "\(isAlone ? "alone: " : "")\(exchange)",
                    content: exchange.answered, isAnsweredEarly: exchange.isAnsweredEarly,
                    endsWithConnection: exchange.endsWithConnection, trailers: exchange.trailers)
            }
        }
    }

    @Test func agreeOverHTTP2() async throws {
        try await DifferentialRun.compare("over HTTP/2") { run in
            let servers = try (0...Self.alone).map { try Self.startStreamServer(isAlone: $0 < Self.alone) }
            defer { for server in servers { server.stop() } }
            let pair = TransportPair(named: true, whole: true)
            try await run(Self.lanes(pair, servers.map(\.url)))
            await pair.shutdown()
        }
    }

    /// Not through a tunnel: there libcurl (7.88.1) fails by itself when there are several streams.
    @Test func agreeOverHTTP2AndTLS() async throws {
        try await DifferentialRun.compare("over HTTP/2 and TLS") { run in
            // One, whose connections nothing happens to: what ends in TLS ends when the front has noticed.
            let server = try Self.startStreamServer(isAlone: false, isSecure: true)
            defer { server.stop() }
            try await Self.withFronts([server.port], "h2") { urls, trust in
                let pair = TransportPair(named: true, whole: true) { $0.tls.trust = .pem(trust) }
                try await run(Self.lanes(pair, urls, isSecure: true))
                await pair.shutdown()
            }
        }
    }

    /// Puts TLS before each of the servers.
    private static func withFronts(
        _ ports: [Int], _ version: String, urls: [String] = [], trust: Data = Data(),
        _ body: ([String], Data) async throws -> Void
    ) async throws {
        guard let port = ports.first else { return try await body(urls, trust) }
        try await TLSFront.withServer([version: port]) { front in
            try await withFronts(
                Array(ports.dropFirst()), version, urls: urls + [front.url],
                trust: trust + Data((front.authority.certificatePEM + "\n").utf8), body)
        }
    }

    // MARK: - Proxies that do no good

    @Test func agreeAboutProxiesThatRefuse() async throws {
        try await DifferentialRun.compare("to proxies that refuse", mostFail: true) { run in
            let proxy = try RawServer.start(answering: { request in
                // The host is the number.
                let number = request.target.prefix { $0 != "." }.dropFirst()
                return Int(number).map { RandomRefusal($0, seed: DifferentialRun.seed).script }
            })
            defer { proxy.stop() }
            let pair = TransportPair { $0.proxy = .url(proxy.url) }
            try await run([
                DifferentialLane(pair: pair, workers: 8) { number, configure in
                    let refusal = RandomRefusal(number, seed: DifferentialRun.seed)
                    return .init(request: try refusal.request(configure), description: "\(refusal)")
                }
            ])
            await pair.shutdown()
        }
    }
}
