// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

struct RecordingMiddlewareTests {
    @Test func anExchangeIsAnEntryOfHAR() async throws {
        let tape = try Tape()
        let (client, _) = try tape.recorder(
            ScriptedTransport(.json(#"{"id": 1}"#, status: 201, fields: [.setCookie: "a=1; Path=/; HttpOnly"])))
        let response = try await client.execute(
            TransportRequest(
                method: .post, url: "https://api.example/users?page=2&q=a%20b",
                headerFields: [.contentType: "text/plain"],
                body: .data(Data("hello".utf8))))
        #expect(try await response.body.collect() == Data(#"{"id": 1}"#.utf8))

        let json = try tape.json()
        #expect(json["log"]?["version"] == "1.2")
        #expect(json["log"]?["creator"]?["name"] == "Strata")
        let entry = try #require(try tape.entries().first)
        let (request, answer) = (entry["request"], entry["response"])
        #expect(request?["method"] == "POST")
        #expect(request?["url"] == "https://api.example/users?page=2&q=a%20b")
        #expect(request?["postData"]?["text"] == "hello")
        #expect(request?["bodySize"] == 5)
        #expect(request?["queryString"] == [["name": "page", "value": "2"], ["name": "q", "value": "a b"]])
        #expect(answer?["status"] == 201 && isString(answer?["statusText"]))
        #expect(answer?["content"]?["text"] == #"{"id": 1}"#)
        #expect(answer?["content"]?["size"] == 9 && answer?["content"]?["mimeType"] == "application/json")
        #expect(answer?["cookies"] == [["name": "a", "value": "***"]])
        // Everything that the specification demands is there and of its type.
        for member in ["startedDateTime"] { #expect(isString(entry[member])) }
        for part in [request, answer] {
            #expect(isString(part?["httpVersion"]))
            for member in ["cookies", "headers"] { #expect(isArray(part?[member])) }
            for member in ["headersSize", "bodySize"] { #expect(isNumber(part?[member])) }
        }
        #expect(isString(answer?["redirectURL"]) && isNumber(entry["time"]))
        for member in ["send", "wait", "receive", "dns", "connect", "ssl", "blocked"] {
            #expect(isNumber(entry["timings"]?[member]), "\(member)")
        }
        #expect(entry["cache"] == [:])
    }

    private func isString(_ value: JSONValue?) -> Bool { if case .string = value { true } else { false } }
    private func isNumber(_ value: JSONValue?) -> Bool { if case .number = value { true } else { false } }
    private func isArray(_ value: JSONValue?) -> Bool { if case .array = value { true } else { false } }

    @Test func thePiecesOfABodyKeepTheirTime() async throws {
        let tape = try Tape()
        let clock = tape.clock
        let transport = ScriptedTransport { _ in
            clock.advance(by: .milliseconds(30))
            return .source { PacedSource([Data("one".utf8), Data("two".utf8)], clock, every: .milliseconds(20)) }
        }
        let (client, _) = try tape.recorder(transport)
        _ = try await client.execute(TransportRequest(url: "https://api.example/")).body.collect()

        let entry = try #require(try tape.entries().first)
        #expect(entry["response"]?["_pieces"] == [[50, 3], [70, 3]])
        #expect(entry["timings"]?["wait"] == 30 && entry["timings"]?["receive"] == 60 && entry["time"] == 90)
        let recorded = try #require(try tape.cassette().entries.first)
        #expect(recorded.headTime == .milliseconds(30) && recorded.end == .milliseconds(90))
        #expect(recorded.pieces.map(\.time) == [.milliseconds(50), .milliseconds(70)])
    }

    @Test func theBodyOfARequestIsRecordedAsItIsSent() async throws {
        let tape = try Tape()
        let clock = tape.clock
        let (client, _) = try tape.recorder(ScriptedTransport())
        let body = RequestBody.stream(isReplayable: true) {
            PacedSource([Data("ab".utf8), Data("c".utf8)], clock, every: .milliseconds(5))
        }
        _ = try await client.execute(TransportRequest(method: .post, url: "https://api.example/", body: body))
        let request = try tape.entries().first?["request"]
        #expect(request?["postData"]?["text"] == "abc")
        #expect(request?["_pieces"] == [[5, 2], [10, 1]])
    }

    @Test func aFailureIsRecordedWithItsStage() async throws {
        let tape = try Tape()
        var lost = NetworkClientError(.dnsFailed, "the name is not known")
        lost.isUnprocessed = true
        let (client, _) = try tape.recorder(
            ScriptedTransport(
                .failure(lost), .failure(NetworkClientError.timedOut(.idle)),
                .pieces([Data("abc".utf8)], failure: NetworkClientError(.connectionLost, "the connection was lost"))))
        for _ in 0..<2 {
            await #expect(throws: NetworkClientError.self) {
                try await client.execute(TransportRequest(url: "https://api.example/"))
            }
        }
        let response = try await client.execute(TransportRequest(url: "https://api.example/"))
        await #expect(throws: NetworkClientError.self) { try await response.body.collect() }

        let answers = try tape.entries().map { $0["response"] }
        #expect(answers.map { $0?["_error"] } == ["dnsFailed", "timedOut", "connectionLost"])
        #expect(answers.map { $0?["status"] } == [0, 0, 200])
        #expect(answers[0]?["_errorIsUnprocessed"] == true)
        #expect(answers[1]?["_errorTimeout"] == "idle")
        #expect(answers[2]?["content"]?["text"] == "abc")
    }

    @Test func cancelledAndDroppedExchangesAreRecorded() async throws {
        let tape = try Tape()
        let asked = SharedResult<Void>()
        let transport = ScriptedTransport { request in
            if request.path == "/silent" {
                asked.finish(.success(()))
                return .silence
            }
            return .pieces([Data("one".utf8), Data("two".utf8)])
        }
        let (client, recorder) = try tape.recorder(transport)
        let call = Task { try await client.execute(TransportRequest(url: "https://api.example/silent")) }
        try await asked.value()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        do {
            let body = try await client.execute(TransportRequest(url: "https://api.example/dropped")).body
            for try await _ in body { break }
        }
        let open = try await client.execute(TransportRequest(url: "https://api.example/open"))
        #expect(recorder.count == 2)
        try recorder.finish()
        #expect(recorder.count == 3)
        open.body.cancel()

        let answers = try tape.entries().map { $0["response"] }
        #expect(answers.map { $0?["_error"] } == ["cancelled", "cancelled", "cancelled"])
        #expect(answers.map { $0?["content"]?["text"] } == [nil, "one", ""])
    }

    @Test func bodiesCanBeLeftOut() async throws {
        let tape = try Tape()
        var options = RecordingOptions()
        options.recordsBodies = false
        let (client, _) = try tape.recorder(ScriptedTransport(.text("hidden")), options)
        _ = try await client.execute(
            TransportRequest(method: .put, url: "https://api.example/", body: .data(Data("sent away".utf8))))
        #expect(try tape.everything().allSatisfy { !$0.contains("hidden") && !$0.contains("sent away") })
        let entry = try tape.entries().first
        #expect(entry?["response"]?["content"]?["size"] == 6 && entry?["request"]?["bodySize"] == 9)
        let error = #expect(throws: CassetteError.self) { try tape.cassette().entries[0].responseBody() }
        #expect(error?.member == "log.entries[0].response.content")
    }

    @Test func itIsInnermostAndTheReportSaysSo() throws {
        struct Other: NetworkMiddleware {
            func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
                try await next(request)
            }
        }
        func findings(_ make: (RecordingMiddleware) -> [any NetworkMiddleware]) throws -> [String] {
            let tape = try Tape()
            let client = tape.client(ScriptedTransport(), make(try RecordingMiddleware(to: tape.file)))
            return client.pipelineReport.findings.map(\.problem)
        }
        #expect(try findings { [RetryMiddleware(), $0, LoggingMiddleware(label: "a", scope: .attempt)] } == [])
        #expect(try findings { [$0, RetryMiddleware()] }.count == 1)
        #expect(try findings { [$0, Other()] }.first?.contains("RecordingMiddleware stands outside Other") == true)
    }

    @Test func aFailureToWriteDoesNotDisturbTheCall() async throws {
        let tape = try Tape()
        let (client, recorder) = try tape.recorder(ScriptedTransport(.text("fine")))
        try FileManager.default.removeItem(at: tape.file)
        let response = try await client.execute(TransportRequest(url: "https://api.example/"))
        #expect(try await response.body.collect() == Data("fine".utf8))
        let error = #expect(throws: CassetteError.self) { try recorder.finish() }
        #expect(error?.kind == .fileFailed)
    }

    @Test func eachHopAndEachAttemptIsAnEntry() async throws {
        let tape = try Tape()
        let recorder = try CassetteRecorder(tape.file)
        var retry = RetryMiddleware()
        retry.maxAttempts = 2
        let client = tape.client(
            ScriptedTransport(.redirect(to: "/next"), .status(503), .status(200)),
            [retry, RecordingMiddleware(recorder)])
        _ = try await client.execute(TransportRequest(url: "https://api.example/first"))
        #expect(try tape.cassette().entries.map(\.status) == [302, 503, 200])
        #expect(try tape.entries().first?["response"]?["redirectURL"] == "/next")
    }
}
