// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import StrataURLSession
import Testing

/// Time, pressure, cancellation and the end.
///
/// One after the other: on Linux all sessions share one queue, and each wait takes a core.
@Suite(.serialized)
struct URLSessionFlowTests {
    private static let megabyte = String(repeating: "m", count: 1 << 20)

    private static let large: RawScript = [
        .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(16 << 20)\r\n\r\n"),
        .repeat([.send(megabyte)], times: 16),
    ]

    // MARK: Pressure

    @Test func aReaderWhoComesLateGetsEverything() async throws {
        try await RawServer.withServer(script: Self.large) { server in
            try await withURLSession { transport in
                let response = try await transport.send(.get, server.url)
                #if os(Linux)
                // The sender is not slowed down: everything has been sent before anybody reads.
                try await server.wait { $0.has(.finished) }
                #endif
                var count = 0
                for try await piece in response.body {
                    #expect(piece.count <= 256 * 1024)
                    count += piece.count
                }
                #expect(count == 16 << 20)
            }
        }
    }

    #if !os(Linux)
    @Test func holdsAProducerBackForASlowServer() async throws {
        try await RawServer.withServer(script: [.readHead, .hang]) { server in
            try await withURLSession { transport in
                let source = PiecesSource((0..<2000).map { _ in Data(count: 64 * 1024) })
                let task = Task {
                    try await transport.text(.post, server.url, body: .stream(isReplayable: false) { source })
                }
                try await Task.sleep(for: .milliseconds(500))
                let rest = source.remaining
                #expect(rest > 0 && rest < 2000)
                try await Task.sleep(for: .milliseconds(200))
                #expect(source.remaining == rest)
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                #expect(source.isCancelled)
            }
        }
    }
    #endif

    @Test func aSlowUploadHoldsNobodyElseUp() async throws {
        let upload = try RawServer.start(script: [.readRequest, .respond(body: "uploaded")])
        let other = try RawServer.start(script: .forever(.readRequest, .respond(body: "ok")))
        defer {
            upload.stop()
            other.stop()
        }
        try await withURLSession { transport in
            let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
            let task = Task { try await transport.text(.post, upload.url, body: .stream(from: stream)) }
            continuation.yield(Data("first".utf8))
            for _ in 0..<10 {
                let text = try await transport.text(.get, other.url)
                #expect(text == "ok")
            }
            continuation.yield(Data("last".utf8))
            continuation.finish()
            let text = try await task.value
            #expect(text == "uploaded")
            #expect(upload.log.requests.first?.body == Array("firstlast".utf8))
        }
    }

    @Test func aDownloadCanBeUploadedAsItArrives() async throws {
        let download = try RawServer.start(script: Self.large)
        let upload = try RawServer.start(script: [.readRequest, .respond(body: "uploaded")])
        defer {
            download.stop()
            upload.stop()
        }
        try await withURLSession { transport in
            let response = try await transport.send(.get, download.url)
            let text = try await transport.text(
                .post, upload.url, body: .stream(length: response.body.length, from: response.body))
            #expect(text == "uploaded")
            #expect(upload.log.requests.first?.body.count == 16 << 20)
        }
    }

    // MARK: Timeouts

    @Test func limitsConnectingWhereThatCanBeSeen() async throws {
        let server = try RawServer.unresponsive()
        let error = try await withURLSession { transport in
            await #expect(throws: NetworkClientError.self) {
                try await transport.send(
                    .post, server.url, body: .data(Data("x".utf8)),
                    timeouts: Timeouts(connect: .milliseconds(150), idle: .seconds(60)))
            }
        }
        #expect(error?.timeout == .connect)
    }

    // MARK: Cancellation

    @Test func cancelsWhileItWaitsForItsOwnBody() async throws {
        try await RawServer.withServer(script: [.readToEnd]) { server in
            try await withURLSession { transport in
                let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
                continuation.yield(Data("first".utf8))
                let task = Task { try await transport.text(.post, server.url, body: .stream(from: stream)) }
                for _ in 0..<100 { await Task.yield() }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                continuation.finish()
            }
        }
    }

    @Test func aRedirectThatIsCancelledHarmsNobody() async throws {
        let server = try RawServer.start(
            script: .forever(.readRequest, .respond(302, fields: ["Location: /next"], body: "moved")))
        defer { server.stop() }
        try await withURLSession { transport in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        let task = Task { try await transport.text(.get, server.url) }
                        for _ in 0..<(number % 40) { await Task.yield() }
                        task.cancel()
                        _ = await task.result
                    }
                }
            }
            let text = try await transport.text(.get, server.url)
            #expect(text == "moved")
        }
    }

    // MARK: Connections and the end

    @Test func usesConnectionsAgain() async throws {
        let server = try RawServer.start(script: .forever(.readRequest, .respond(body: "ok")))
        defer { server.stop() }
        try await withURLSession { transport in
            for _ in 0..<20 {
                let text = try await transport.text(.get, server.url)
                #expect(text == "ok")
            }
            #expect(server.log.connectionCount == 1)
            let body = RequestBody.stream(isReplayable: true) { PiecesSource([Data("x".utf8)]) }
            for _ in 0..<20 {
                let text = try await transport.text(.post, server.url, body: body)
                #expect(text == "ok")
            }
            #expect(server.log.connectionCount == 1)
        }
    }

    @Test func neverHangsOnAConnectionThatDiedWithABody() async throws {
        // The server reads the second request and closes without an answer.
        let server = try RawServer.start(
            scripts: [
                [.readRequest, .respond(body: "ok"), .readRequest, .close], [.readRequest, .respond(body: "again")],
            ])
        defer { server.stop() }
        try await withURLSession { transport in
            let text = try await transport.text(.get, server.url)
            #expect(text == "ok")
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.text(.post, server.url, body: .data(Data("once".utf8)))
            }
            #expect(error?.code == .connectionLost)
        }
    }

    @Test func shutsDownWithTransfersInFlight() async throws {
        let server = try RawServer.start(
            script: [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel"), .readToEnd])
        defer { server.stop() }
        let transport = URLSessionTransport()
        let tasks = (0..<20).map { number in
            Task {
                let body =
                    number % 2 == 0
                    ? RequestBody.empty : .stream(isReplayable: true) { PiecesSource([Data(count: 100_000)]) }
                return try await transport.text(body.isEmpty ? .get : .post, server.url, body: body)
            }
        }
        try await server.wait { $0.connectionCount == 20 }
        await transport.shutdown()
        for task in tasks {
            let error = await #expect(throws: NetworkClientError.self) { try await task.value }
            #expect(error?.code == .transportShutDown)
        }
        let error = await #expect(throws: NetworkClientError.self) { try await transport.text(.get, server.url) }
        #expect(error?.code == .transportShutDown)
    }

    @Test func survivesRandomCancelsUnderLoad() async throws {
        try await EchoTarget.withServer { server in
            try await withURLSession { transport in
                let paths = [
                    "/get", "/bytes/70000", "/stream-bytes/300000", "/redirect/1", "/basic-auth/u/p", "/hang", "/gzip",
                ]
                let failures = await withTaskGroup(of: (any Error)?.self) { group in
                    var started = 0
                    func start() {
                        let number = started
                        started += 1
                        group.addTask {
                            let path = paths[number % paths.count]
                            let isUpload = number % 11 == 0
                            let body = RequestBody.stream(isReplayable: true) {
                                PiecesSource((0..<8).map { _ in Data(count: 20_000) })
                            }
                            let task = Task {
                                isUpload
                                    ? try await transport.text(.post, server.url + "/upload", body: body)
                                    : try await transport.text(.get, server.url + path)
                            }
                            if number % 3 == 0 || path == "/hang" {
                                try? await Task.sleep(for: .microseconds(number * 7919 % 20_000))
                                task.cancel()
                            }
                            switch await task.result {
                            case .success, .failure(is CancellationError): return nil
                            case .failure(let error): return error
                            }
                        }
                    }
                    for _ in 0..<64 { start() }
                    var failures: [any Error] = []
                    for await failure in group {
                        if let failure { failures.append(failure) }
                        if started < 2000 { start() }
                    }
                    return failures
                }
                #expect(failures.isEmpty)
            }
        }
    }
}
