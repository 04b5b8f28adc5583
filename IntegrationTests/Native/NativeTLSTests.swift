// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import HTTPTypes
import StrataCore
import StrataNative
import StrataTesting
import Testing

/// HTTP over TLS, as the engine carries it.
struct NativeTLSTests {
    private func withFront(
        _ script: RawScript, ending: TLSFront.Ending = .orderly,
        _ configure: (inout NativeTransport.Configuration) -> Void = { _ in },
        _ body: (NativeTransport, _ url: String, RawServer) async throws -> Void
    ) async throws {
        let server = try RawServer.start(script: script)
        defer { server.stop() }
        try await TLSFront.withServer(["http/1.1": server.port], ending: ending) { front in
            try await withNative({
                $0.tls.trust = .pem(Data(front.authority.certificatePEM.utf8))
                configure(&$0)
            }) { try await body($0, front.url, server) }
        }
    }

    private static let alive = RawScript.forever(.readRequest, .respond(body: "ok"))

    @Test func usesAConnectionAgain() async throws {
        try await withFront(Self.alive) { transport, url, server in
            for number in 0..<5 {
                let response = try await transport.send(.get, url)
                expectEqual(try await response.body.collect(), Data("ok".utf8))
                #expect(response.metrics?.isConnectionReused == (number > 0))
                #expect((response.metrics?.secured != nil) == (number == 0))
            }
            #expect(server.log.connectionCount == 1)
        }
    }

    @Test func refusesAServerThatNobodyVouchesFor() async throws {
        try await withFront(Self.alive, { $0.tls.trust = .system }) { transport, url, server in
            let error = await #expect(throws: NetworkClientError.self) { try await transport.send(.post, url) }
            #expect(error?.code == .tlsFailed)
            #expect(server.log.requests.isEmpty)
        }
    }

    @Test func movesLargeBodiesBothWays() async throws {
        let size = 3_000_000
        let bytes = [UInt8]((0..<size).map { UInt8(truncatingIfNeeded: $0 / 1000) })
        let script: RawScript = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"), .send(bytes), .hang,
        ]
        try await withFront(script) { transport, url, server in
            let response = try await transport.send(.post, url, body: .data(Data(bytes)))
            // Long enough for the high-water mark to be reached.
            try await Task.sleep(for: .milliseconds(100))
            let isSame = try await response.body.collect() == Data(bytes)
            #expect(isSame)
            let isSent = server.log.requests.first?.body == bytes
            #expect(isSent)
        }
    }

    @Test func streamsAnUpload() async throws {
        try await withFront([.readRequest, .respond(body: "ok")]) { transport, url, server in
            let list = (0..<50).map { Data(repeating: UInt8($0), count: 10_000) }
            for length in [nil, Int64(500_000)] {
                let body = RequestBody.stream(length: length, make: pieces(list))
                expectEqual(try await transport.text(.post, url, body: body), "ok")
                let isWhole = server.log.requests.last.map { Data($0.body) == Data(list.joined()) }
                #expect(isWhole == true)
            }
        }
    }

    @Test(arguments: [true, false], [TLSFront.Ending.orderly, .withoutCloseNotify])
    func believesTheEndOfABodyWhenTLSEndsAsItShould(_ isRequired: Bool, _ ending: TLSFront.Ending) async throws {
        let script: RawScript = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"), .wait(.milliseconds(50)), .close,
        ]
        try await withFront(script, ending: ending, { $0.tls.requiresCloseNotify = isRequired }) { transport, url, _ in
            let response = try await transport.send(.get, url)
            if isRequired, ending == .withoutCloseNotify {
                await #expect { try await response.body.collect() } throws: { $0.stage == .connectionLost }
            } else {
                expectEqual(try await response.body.collect(), Data("hello".utf8))
            }
        }
    }

    @Test func aSilentHandshakeEndsByTheConnectTimeout() async throws {
        try await RawServer.withServer(script: [.readToEnd]) { server in
            try await withNative { transport in
                let error = await #expect(throws: NetworkClientError.self) {
                    try await transport.send(
                        .get, "https://127.0.0.1:\(server.port)/", timeouts: Timeouts(connect: .milliseconds(300)))
                }
                #expect(error?.timeout == .connect)
            }
        }
    }

    @Test(arguments: [true, false]) func aServerThatSpeaksNoTLSIsAnErrorOfTLS(_ isSilent: Bool) async throws {
        let script: RawScript =
            isSilent ? [.wait(.milliseconds(50)), .close] : [.send("HTTP/1.1 400 No\r\n\r\n"), .close]
        try await RawServer.withServer(script: script) { server in
            try await withNative { transport in
                await #expect { try await transport.send(.get, "https://127.0.0.1:\(server.port)/") } throws: {
                    $0.stage == .tlsFailed
                }
            }
        }
    }
}
