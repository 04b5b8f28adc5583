// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

struct ScriptedTransportTests {
    private func client(_ transport: ScriptedTransport, _ clock: VirtualClock) -> NetworkClient {
        var configuration = NetworkConfiguration(baseURL: nil, transport: transport)
        configuration.clock = clock
        return NetworkClient(configuration: configuration)
    }

    private func upload(_ body: RequestBody) throws -> TransportRequest {
        try TransportRequest(method: .post, url: "https://h/", body: body)
    }

    // MARK: The script

    @Test func answersInOrderAndRepeatsTheLast() async throws {
        let transport = ScriptedTransport(.status(500), .status(201))
        var statuses: [Int] = []
        for _ in 0..<3 {
            statuses.append(try await transport.send(TransportRequest(url: "https://h/")).head.status.code)
        }
        #expect(statuses == [500, 201, 201])
        #expect(transport.requests.map(\.number) == [0, 1, 2])
    }

    @Test func showsWhatItWasAsked() async throws {
        let transport = ScriptedTransport()
        let fields: HTTPFields = [.accept: "text/plain"]
        _ = try await transport.send(
            TransportRequest(
                method: .put, url: "https://h:8443/a/b?c=d", headerFields: fields, body: .data(Data("text".utf8))))
        let request = try #require(transport.requests.first)
        #expect(request.method == .put)
        #expect(request.url == "https://h:8443/a/b?c=d")
        #expect((request.path, request.query) == ("/a/b", "c=d"))
        #expect(request["ACCEPT"] == "text/plain")
        #expect(request.text == "text" && request.hasBody)
    }

    @Test func aBodyIsReadAsJSON() async throws {
        let transport = ScriptedTransport()
        for text in [#"{"user": {"name": "ada"}}"#, "{", ""] {
            _ = try await transport.send(TransportRequest(url: "https://h/", body: .data(Data(text.utf8))))
        }
        #expect(try transport.requests[0].json["user"]?["name"] == "ada")
        for request in transport.requests[1...] { #expect(throws: (any Error).self) { try request.json } }
    }

    @Test func aCallAfterTheShutdownFails() async throws {
        let transport = ScriptedTransport()
        await transport.shutdown()
        await #expect {
            try await transport.send(TransportRequest(url: "https://h/"))
        } throws: {
            isFailure($0, .transportShutDown)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func aCallUnderWayFailsWithTheShutdown() async throws {
        let (asked, answered) = (SharedResult<Void>(), SharedResult<Void>())
        let transport = ScriptedTransport { _ in
            asked.finish(.success(()))
            try await answered.value()
            return .status(200)
        }
        let call = Task { try await transport.send(TransportRequest(url: "https://h/")) }
        try await asked.value()
        await transport.shutdown()
        answered.finish(.success(()))
        await #expect {
            try await call.value
        } throws: {
            isFailure($0, .transportShutDown)
        }
    }

    @Test func aStatusThatIsNoneFailsWithItsName() async throws {
        for status in [-1, 1000] {
            let replies = [ScriptedReply.status(status), .pieces([], status: status), .redirect(status, to: "/")]
            for reply in replies {
                let error = await #expect(throws: NetworkClientError.self) {
                    try await ScriptedTransport(reply).send(TransportRequest(url: "https://h/"))
                }
                #expect(error?.code == .protocolViolation)
                #expect(error?.message == "the scripted reply has the status \(status)")
            }
        }
    }

    @Test func aTimeoutSaysWhich() async {
        let error = await #expect(throws: NetworkClientError.self) {
            try await ScriptedTransport(.failure(.timedOut)).send(TransportRequest(url: "https://h/"))
        }
        #expect(error?.timeout == .attempt)
    }

    // MARK: Silence

    @Test func silenceLastsUntilTheCallIsCancelled() async throws {
        let transport = ScriptedTransport(.silence)
        let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: transport))
        let call = Task { try await client.execute(TransportRequest(url: "https://h/")) }
        await eventually { transport.requests.count == 1 }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test(arguments: [nil, .seconds(3600)] as [Duration?])
    func silenceEndsWithTheTransport(_ deadline: Duration?) async throws {
        let transport = ScriptedTransport(.silence)
        var options = RequestOptions()
        options.timeouts.deadline = deadline
        let call = Task { [options] in
            try await transport.send(TransportRequest(url: "https://h/", options: options))
        }
        await eventually { transport.requests.count == 1 }
        await transport.shutdown()
        await #expect {
            try await call.value
        } throws: {
            isFailure($0, .transportShutDown)
        }
    }

    @Test func silenceIsATimeoutByTheCallsClock() async throws {
        let clock = VirtualClock()
        let client = client(ScriptedTransport(.silence), clock)
        for (timeouts, kind) in [
            (Timeouts(attempt: .seconds(3), deadline: .seconds(5)), Timeouts.Kind.attempt),
            (Timeouts(attempt: .seconds(7), deadline: .seconds(5)), .deadline),
        ] {
            var request = try TransportRequest(url: "https://h/")
            request.options.timeouts = timeouts
            let error = await #expect(throws: NetworkClientError.self) { try await client.execute(request) }
            #expect(error?.timeout == kind)
        }
        #expect(clock.sleeps == [.seconds(3), .seconds(5)])
    }

    // MARK: Uploads

    @Test(arguments: [Int64(1), 3])
    func holdsAnUploadToItsLength(length: Int64) async throws {
        let transport = ScriptedTransport()
        let source = PiecesSource([Data("a".utf8), Data("b".utf8)])
        let request = try upload(.stream(length: length, isReplayable: true) { source })
        await #expect {
            try await transport.send(request)
        } throws: {
            isFailure($0, .uploadFailed)
        }
        #expect(source.isCancelled)
        #expect(transport.requests.isEmpty)
    }

    @Test func anUploadThatFailsSaysSo() async throws {
        struct Broken: Error {}
        let request = try upload(.stream(isReplayable: true) { PiecesSource([Data("a".utf8)], failure: Broken()) })
        let error = await #expect(throws: NetworkClientError.self) { try await ScriptedTransport().send(request) }
        #expect(error?.code == .uploadFailed)
        #expect(error?.cause is Broken)
    }

    @Test func aCancelDuringTheUploadEndsTheCall() async throws {
        /// Takes no notice of the cancel.
        final class Stubborn: BodySource {
            func next() -> Data? {
                withUnsafeCurrentTask { $0?.cancel() }
                return Data("a".utf8)
            }
            func cancel() {}
        }
        let transport = ScriptedTransport()
        let request = try upload(.stream(isReplayable: true) { Stubborn() })
        let call = Task { try await transport.send(request) }
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(transport.requests.isEmpty)
    }

    // MARK: Answers

    @Test(arguments: [(HTTPRequest.Method.head, 200), (.get, 204), (.get, 304)])
    func deliversNoBodyWhereThereIsNoneOnTheWire(method: HTTPRequest.Method, status: Int) async throws {
        for reply in [ScriptedReply.text("x", status: status), .pieces([Data("x".utf8)], status: status, length: 1)] {
            let response = try await ScriptedTransport(reply).send(
                TransportRequest(method: method, url: "https://h/"))
            #expect(response.head.status.code == status)
            #expect(response.body.data == Data())
        }
    }

    @Test func aCancelBetweenTwoPiecesEndsTheBody() async {
        let transport = ScriptedTransport(.pieces([Data("a".utf8), Data("b".utf8)]))
        let call = Task {
            var pieces = 0
            for try await _ in try await transport.send(TransportRequest(url: "https://h/")).body {
                pieces += 1
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return pieces
        }
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func anAnswerThatTakesTooLongIsATimeout() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport { _ in
            try await clock.sleep(for: .seconds(100))
            return .status(200)
        }
        let client = client(transport, clock)
        func call(_ timeouts: Timeouts) async throws -> TransportResponse {
            var request = try TransportRequest(url: "https://h/")
            request.options.timeouts = timeouts
            return try await client.execute(request)
        }
        for (timeouts, kind) in [
            (Timeouts(attempt: .seconds(3)), Timeouts.Kind.attempt),
            (Timeouts(attempt: .seconds(101), deadline: .seconds(100)), .deadline),
        ] {
            let error = await #expect(throws: NetworkClientError.self) { try await call(timeouts) }
            #expect(error?.timeout == kind)
            #expect(error?.exchange?.attempts.map(\.error) == [.timedOut])
        }
        #expect(try await call(Timeouts(attempt: .seconds(101), deadline: .seconds(101))).head.status == .ok)
    }

    @Test func aBodyThatTakesTooLongIsATimeout() async throws {
        /// A byte every ten seconds, five times.
        final class Slow: BodySource {
            let clock: VirtualClock
            let source = PiecesSource([Data](repeating: Data("x".utf8), count: 5))
            init(_ clock: VirtualClock) { self.clock = clock }
            func next() throws -> Data? {
                let piece = try source.next()
                if piece != nil { clock.advance(by: .seconds(10)) }
                return piece
            }
            func cancel() { source.cancel() }
        }
        for (timeouts, kind) in [
            (Timeouts(attempt: .seconds(15)), Timeouts.Kind.attempt), (Timeouts(deadline: .seconds(15)), .deadline),
        ] {
            let clock = VirtualClock()
            let slow = Slow(clock)
            var request = try TransportRequest(url: "https://h/")
            request.options.timeouts = timeouts
            let response = try await client(ScriptedTransport(.source { slow }), clock).execute(request)
            let error = await #expect(throws: NetworkClientError.self) { try await response.body.collect() }
            #expect(error?.timeout == kind)
            #expect(slow.source.remaining == 3)
            #expect(slow.source.isCancelled)
        }
    }

    @Test(arguments: [(Int64(1), NetworkClientError.Code.protocolViolation), (3, .connectionLost)])
    func aBodyIsHeldToItsAnnouncedLength(_ length: Int64, _ code: NetworkClientError.Code) async throws {
        let transport = ScriptedTransport(.pieces([Data("a".utf8), Data("b".utf8)], length: length))
        let response = try await transport.send(TransportRequest(url: "https://h/"))
        let error = await #expect(throws: NetworkClientError.self) { try await response.body.collect() }
        #expect(error?.code == code)
    }

    // MARK: What a failing expectation shows

    @Test func requestsAreDescribedWithoutSecrets() async throws {
        let transport = ScriptedTransport()
        let fields: HTTPFields = [.authorization: "Bearer \(Leaks.mark)"]
        for body in [RequestBody.empty, .data(Data(Leaks.mark.utf8))] {
            _ = try await transport.send(
                TransportRequest(
                    method: .post, url: "https://h/a?token=\(Leaks.mark)", headerFields: fields, body: body))
        }
        #expect(transport.requests.map { "\($0)" } == ["POST https://h/a", "POST https://h/a (6 bytes)"])
        checkDump(transport.requests, "a recorded request")
    }

    @Test func repliesAreDescribedWithoutSecrets() {
        let fields: HTTPFields = [.setCookie: "a=\(Leaks.mark)"]
        let replies: [(ScriptedReply, String)] = [
            (.status(200, fields: fields, body: Data(Leaks.mark.utf8)), "200 (6 bytes)"),
            (.pieces([Data("a".utf8), Data(Leaks.mark.utf8)], status: 206), "206 (7 bytes in 2 pieces)"),
            (.source(fields: fields) { PiecesSource([]) }, "200 (a source)"),
            (.failure(.dnsFailed), "failure (dnsFailed)"),
            (.failure(URLError(.timedOut, userInfo: ["url": Leaks.mark])), "failure (URLError)"),
            (.silence, "silence"),
        ]
        for (reply, text) in replies { #expect("\(reply)" == text) }
        checkDump(replies.map { $0.0 }, "a reply")
    }

    private func checkDump(_ value: some Any, _ what: String) {
        var dumped = ""
        dump(value, to: &dumped)
        Leaks.check(dumped, what)
        Leaks.check(String(reflecting: value), what)
    }
}
