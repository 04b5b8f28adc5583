// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataTesting
import TestSupport
import Testing

/// One answer belongs to one request: whatever a server sends, whenever it comes, and on whichever connection.
struct CurlAnswersTests {
    /// How many exchanges there are in all. `STRATA_EXCHANGES` asks for more.
    private static let exchanges =
        ProcessInfo.processInfo.environment["STRATA_EXCHANGES"].flatMap { Int($0) } ?? 1200

    /// Calls that run beside each other have a transport each, so that no other call takes a connection before what comes
    /// behind the last answer has come.
    private static let workers = 4

    /// The thresholds of a transport: what one read takes, where a body pauses, where it goes on.
    private struct Marks {
        let receiveBuffer: Int
        let highWaterMark: Int

        func configure(_ configuration: inout CurlTransport.Configuration, _ server: BehindServer) {
            configuration = .direct
            configuration.receiveBuffer = receiveBuffer
            configuration.highWaterMark = highWaterMark
            if let authority = server.authority { configuration.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }
        }

        /// A size near one of the thresholds, or any.
        func size(_ random: inout SeededGenerator) -> Int {
            // Small bodies are kept as they came up to 16 KiB; segments have 128 KiB.
            let marks = [0, 1, receiveBuffer, highWaterMark, highWaterMark / 2, highWaterMark + receiveBuffer]
            let larger = [16 * 1024, 128 * 1024].filter { $0 < 2 * highWaterMark }
            guard let mark = (marks + larger).randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0
            else { return Int.random(in: 0...(highWaterMark + 3 * receiveBuffer), using: &random) }
            return max(0, mark + Int.random(in: -1...1, using: &random))
        }
    }

    /// Those that users have, and small ones, by which most bodies pause.
    private static let marks = [
        Marks(receiveBuffer: 64 * 1024, highWaterMark: 256 * 1024), Marks(receiveBuffer: 1024, highWaterMark: 3000),
    ]

    private static func answer(_ number: Int, _ marks: Marks, _ random: inout SeededGenerator) -> BehindServer.Answer {
        var answer = BehindServer.Answer(number: number)
        answer.framing = [.length, .length, .chunked, .chunked, .none, .head, .interim].randomElement(using: &random)!
        answer.size = marks.size(&random)
        answer.piece = [1, 100, 5000, 70_000].randomElement(using: &random)!
        // Chunks of a byte each are slow for all, and a thousand are enough.
        if answer.piece == 1 { answer.size = min(answer.size, 1000) }
        if Bool.random(using: &random) {
            answer.extra = BehindServer.Answer.Extra.allCases.dropFirst().randomElement(using: &random)!
        }
        if Bool.random(using: &random) { answer.delay = [0, 1, 100, 2000].randomElement(using: &random)! }
        return answer
    }

    /// Reads a body in one of several ways.
    private static func read(_ body: ResponseBody, _ random: inout SeededGenerator) async throws -> Data {
        let pause = [nil, nil, 0, 50, 500].randomElement(using: &random)!
        guard let pause else { return try await body.collect() }
        var data = Data()
        for try await piece in body {
            data += piece
            if pause > 0 { try await Task.sleep(for: .microseconds(pause)) } else { await Task.yield() }
        }
        return data
    }

    /// - Returns: what is wrong.
    private static func run(
        _ worker: Int, seed: UInt64, count: Int, marks: Marks, server: BehindServer
    ) async throws -> [String] {
        var random = SeededGenerator(seed: seed)
        var wrong: [String] = []
        var configuration = CurlTransport.Configuration()
        marks.configure(&configuration, server)
        try await CurlTransport(configuration: configuration).thenShutDown { transport in
            for index in 0..<count {
                let answer = answer(index * workers + worker, marks, &random)
                let method: HTTPRequest.Method =
                    answer.framing == .head ? .head : Bool.random(using: &random) ? .get : .post
                let response = try await transport.send(method, server.url + answer.target)
                let number = response.head.headerFields[HTTPField.Name("X-Number")!]
                let body = try await read(response.body, &random)
                if number != "\(answer.number)" || body != Data(answer.body) {
                    wrong.append("\(answer) got \(number ?? "no number") and \(body.count) bytes")
                }
                await server.whenDone(answer.number)
                if Int.random(in: 0..<4, using: &random) == 0 { try await Task.sleep(for: .milliseconds(1)) }
            }
        }
        return wrong
    }

    @Test(arguments: [false, true], [0, 1])
    func noCallGetsWhatCameForAnother(isSecure: Bool, marks index: Int) async throws {
        let count = Self.exchanges / 4 / Self.workers
        try await BehindServer.withServer(isSecure: isSecure) { server in
            try await withThrowingTaskGroup(of: [String].self) { group in
                for worker in 0..<Self.workers {
                    group.addTask {
                        let seed = UInt64(2 * index + (isSecure ? 1 : 0)) &* 1000 &+ UInt64(worker)
                        return try await Self.run(
                            worker, seed: seed, count: count, marks: Self.marks[index], server: server)
                    }
                }
                for try await wrong in group { #expect(wrong.isEmpty, "\(wrong.prefix(3))") }
            }
            let log = server.log
            #expect(log.requests == count * Self.workers)
            #expect(log.requestsBehind.isEmpty, "\(log.requestsBehind.prefix(3))")
            // About half of the answers spoil their connection, and the others do not.
            #expect(log.connections < log.requests * 3 / 4)
        }
    }

    /// The handed case: one pause at the high-water mark, and a whole response behind it.
    @Test(arguments: [262_143, 262_144, 262_145, 300_000, 330_000, 350_000, 400_000], [0, 2, 20])
    func noCallGetsWhatCameBehindABodyThatPaused(size: Int, wait milliseconds: Int) async throws {
        try await BehindServer.withServer(isSecure: false) { server in
            try await withCurl { transport in
                for number in 0..<4 {
                    var answer = BehindServer.Answer(number: number)
                    (answer.size, answer.extra) = (size, number % 2 == 1 ? .response : .nothing)
                    let response = try await transport.send(.get, server.url + answer.target)
                    expectEqual(response.head.headerFields[HTTPField.Name("X-Number")!], "\(number)")
                    expectEqual(try await response.body.collect().count, size)
                    try await Task.sleep(for: .milliseconds(milliseconds))
                }
            }
            #expect(server.log.requestsBehind.isEmpty)
            #expect(server.log.connections == 2)
        }
    }

    /// ALPN has chosen HTTP/1.1, so a status line of HTTP/2 is an error (RFC 9112 §4, RFC 9113 §3.2), and makes no other call
    /// share a connection.
    @Test(arguments: [false, true]) func aStatusLineDoesNotMakeAConnectionCarryMany(isSecure: Bool) async throws {
        try await BehindServer.withServer(isSecure: isSecure) { server in
            var configuration = CurlTransport.Configuration()
            Self.marks[0].configure(&configuration, server)
            try await CurlTransport(configuration: configuration).thenShutDown { transport in
                // Others to the same origin are under way, so that libcurl goes on remembering what it believes.
                var slow = BehindServer.Answer(number: 0)
                slow.size = 4 << 20
                let other = try await transport.send(.get, server.url + slow.target)
                var lying = BehindServer.Answer(number: 1)
                (lying.framing, lying.size) = (.lyingVersion, 2)
                let error = await #expect(throws: NetworkClientError.self) {
                    try await transport.send(.get, server.url + lying.target)
                }
                #expect(error?.code == .protocolViolation)
                try await withThrowingTaskGroup { group in
                    for number in 2..<42 {
                        group.addTask {
                            var answer = BehindServer.Answer(number: number)
                            answer.size = number * 1000
                            let response = try await transport.send(.get, server.url + answer.target)
                            expectEqual(response.head.headerFields[HTTPField.Name("X-Number")!], "\(number)")
                            expectEqual(try await response.body.collect(), Data(answer.body))
                        }
                    }
                    try await group.waitForAll()
                }
                expectEqual(try await other.body.collect(), Data(slow.body))
            }
        }
    }
}
