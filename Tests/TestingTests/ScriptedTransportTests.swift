// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

struct ScriptedTransportTests {
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
        var configuration = NetworkConfiguration(baseURL: nil, transport: transport)
        configuration.clock = clock
        let client = NetworkClient(configuration: configuration)
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
}
