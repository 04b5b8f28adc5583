// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

struct CassetteTransportTests {
    private let tape: Tape

    init() throws { tape = try Tape() }

    /// Records what the requests get, each with its target as the answer.
    private func record(_ requests: [TransportRequest]) async throws -> Cassette {
        let (client, recorder) = try tape.recorder(ScriptedTransport { .text("\($0.number) \($0.target)") })
        for request in requests { _ = try await client.execute(request) }
        try recorder.finish()
        return try tape.cassette()
    }

    private func get(_ path: String, fields: HTTPFields = [:]) throws -> TransportRequest {
        try TransportRequest(url: "https://api.example\(path)", headerFields: fields)
    }

    private func post(_ body: String, type: String? = nil) throws -> TransportRequest {
        try TransportRequest(
            method: .post, url: "https://api.example/", headerFields: type.map { [.contentType: $0] } ?? [:],
            body: .data(Data(body.utf8)))
    }

    private func text(_ transport: CassetteTransport, _ request: TransportRequest) async throws -> String {
        String(decoding: try await transport.send(request).body.collect(), as: UTF8.self)
    }

    // MARK: Which entry answers

    @Test func entriesOfOneURLAnswerInOrder() async throws {
        let transport = CassetteTransport(try await record([get("/a"), get("/b"), get("/a")]))
        #expect(try await text(transport, get("/a")) == "0 /a")
        #expect(try await text(transport, get("/a")) == "2 /a")
        #expect(try await text(transport, get("/b")) == "1 /b")
        try transport.verify()
    }

    @Test func aRequestThatNothingFitsNamesTheNearest() async throws {
        let transport = CassetteTransport(try await record([get("/users?page=2"), get("/other")]))
        let error = await #expect(throws: NetworkClientError.self) { try await transport.send(get("/users?page=3")) }
        #expect(error?.code == .unsupportedByTransport && error?.isTransient == false)
        let message = try #require(error?.message)
        #expect(
            message.hasPrefix(
                "no unused entry of tape.har fits GET https://api.example/users?page=3. Nearest: entry 0, "))
        #expect(message.contains(#"the query item page is "2" there and "3" here"#))
        #expect((error?.cause as? CassetteError)?.kind == .unmatched)
        let verdict = #expect(throws: CassetteError.self) { try transport.verify() }
        #expect(verdict?.kind == .unmatched)
    }

    @Test func anEntryAnswersOnce() async throws {
        let transport = CassetteTransport(try await record([get("/a")]))
        _ = try await transport.send(get("/a"))
        let error = await #expect(throws: NetworkClientError.self) { try await transport.send(get("/a")) }
        #expect(error?.message.contains("it has been used already") == true)
    }

    @Test func unusedEntriesFailTheVerification() async throws {
        let cassette = try await record([get("/a"), get("/b?token=s3cret")])
        let transport = CassetteTransport(cassette)
        _ = try await transport.send(get("/a"))
        #expect(transport.unusedEntries.map(\.number) == [1])
        let error = #expect(throws: CassetteError.self) { try transport.verify() }
        #expect(
            error?.kind == .unused
                && error?.message == "no request asked for entry 1, GET https://api.example/b?token=***")
        var options = ReplayOptions()
        options.allowsUnused = true
        try CassetteTransport(cassette, options: options).verify()
    }

    @Test func requestsAtOnceGetAnEntryEach() async throws {
        let transport = CassetteTransport(try await record((0..<50).map { _ in try get("/same") }))
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await text(transport, get("/same")) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(texts.count == 50)
    }

    // MARK: Matchers

    @Test func jsonIsComparedByWhatItMeans() async throws {
        let json = "application/json"
        let cassette = try await record([post(#"{"a": 1, "b": [2, 3]}"#, type: json), post(#"{"a": 2}"#, type: json)])
        let transport = CassetteTransport(cassette)
        #expect(try await text(transport, post(#"{ "a": 2.0 }"#, type: json)) == "1 /")
        #expect(try await text(transport, post(#"{"b":[2,3],"a":1}"#, type: json)) == "0 /")
        let error = await #expect(throws: NetworkClientError.self) {
            try await CassetteTransport(cassette).send(post(#"{"a": 1, "b": [2, 4]}"#, type: json))
        }
        #expect(error?.message.contains(#"body.b[1] is "3" there and "4" here"#) == true)
        let exact = CassetteTransport(cassette, matching: [.method, .url, .body(.exact)])
        await #expect(throws: NetworkClientError.self) { try await exact.send(post(#"{"a":2}"#, type: json)) }
        let ignoring = CassetteTransport(cassette, matching: [.method, .url, .body(.json(ignoring: ["b"]))])
        #expect(try await text(ignoring, post(#"{"a": 1, "b": "x"}"#)) == "0 /")
    }

    @Test func formsAreComparedByTheirItems() async throws {
        let form = "application/x-www-form-urlencoded"
        let cassette = try await record([post("a=1&b=x+y&a=2", type: form)])
        #expect(try await text(CassetteTransport(cassette), post("b=x%20y&a=1&a=2", type: form)) == "0 /")
        await #expect(throws: NetworkClientError.self) {
            try await CassetteTransport(cassette).send(post("b=x%20y&a=2&a=1", type: form))
        }
        let ignoring = CassetteTransport(cassette, matching: [.method, .url, .body(.form(ignoring: ["b"]))])
        #expect(
            try await text(ignoring, post("a=1&a=2&nonce=3&b=".replacing("&nonce=3", with: ""), type: form)) == "0 /")
    }

    @Test func aBodyAndNoneDiffer() async throws {
        let cassette = try await record([post("")])
        await #expect(throws: NetworkClientError.self) {
            try await CassetteTransport(cassette).send(TransportRequest(method: .post, url: "https://api.example/"))
        }
        #expect(try await text(CassetteTransport(cassette), post("")) == "0 /")
    }

    @Test func chosenFieldsAreCompared() async throws {
        let cassette = try await record([get("/", fields: [.accept: "text/a"]), get("/", fields: [.accept: "text/b"])])
        let transport = CassetteTransport(cassette, matching: [.method, .url, .fields([.accept])])
        #expect(try await text(transport, get("/", fields: [.accept: "text/b"])) == "1 /")
        let error = await #expect(throws: NetworkClientError.self) { try await transport.send(get("/")) }
        #expect(error?.message.contains(#"the field Accept is "text/a" there and absent here"#) == true)
    }

    @Test func partsOfTheURLCanBeIgnored() async throws {
        let cassette = try await record([get("/a?x=1&nonce=5")])
        let elsewhere = try TransportRequest(url: "http://127.0.0.1:8080/a?nonce=6&x=1")
        let transport = CassetteTransport(cassette, matching: [.method, .path, .query(ignoring: ["nonce"])])
        #expect(try await text(transport, elsewhere) == "0 /a?x=1&nonce=5")
        await #expect(throws: NetworkClientError.self) { try await CassetteTransport(cassette).send(elsewhere) }
        let any = CassetteTransport(
            cassette, matching: [RequestMatcher { recorded, asked in recorded.path == asked.path ? nil : "path" }])
        #expect(try await text(any, TransportRequest(method: .put, url: "https://x/a")) == "0 /a?x=1&nonce=5")
    }

    // MARK: Time

    private func recordStream(_ failure: (any Error)? = nil) async throws -> Cassette {
        let clock = tape.clock
        let (client, recorder) = try tape.recorder(
            ScriptedTransport { _ in
                clock.advance(by: .milliseconds(100))
                return .source {
                    PacedSource(["ab", "cd", "ef"].map { Data($0.utf8) }, clock, every: .seconds(1), failure: failure)
                }
            })
        _ = try await client.execute(get("/")).body.pieces()
        try recorder.finish()
        return try tape.cassette()
    }

    /// The pieces with the times at which they came.
    private func replay(_ transport: CassetteTransport, _ timeouts: Timeouts = Timeouts()) async throws
        -> (pieces: [String], times: [Duration], failure: (any Error)?)
    {
        let clock = VirtualClock()
        var configuration = tape.client(transport).configuration
        configuration.clock = clock
        var request = try get("/")
        request.options.timeouts = timeouts
        let body = try await NetworkClient(configuration: configuration).execute(request).body
        var result: (pieces: [String], times: [Duration], failure: (any Error)?) = ([], [clock.now], nil)
        do {
            for try await piece in body {
                result.pieces.append(String(decoding: piece, as: UTF8.self))
                result.times.append(clock.now)
            }
        } catch {
            result.failure = error
        }
        result.times.append(clock.now)
        return result
    }

    @Test func timeIsAsRecordedScaledOrNone() async throws {
        let cassette = try await recordStream()
        let recorded: [Duration] = [
            .milliseconds(100), .milliseconds(1100), .milliseconds(2100), .milliseconds(3100), .milliseconds(4100),
        ]
        let asRecorded = try await replay(CassetteTransport(cassette, time: .asRecorded))
        #expect(asRecorded.pieces == ["ab", "cd", "ef"] && asRecorded.times == recorded)
        let scaled = try await replay(CassetteTransport(cassette, time: .scaled(by: 0.5)))
        #expect(scaled.times == recorded.map { $0 / 2 })
        let immediate = try await replay(CassetteTransport(cassette))
        #expect(immediate.pieces == ["ab", "cd", "ef"] && immediate.times == Array(repeating: .zero, count: 5))
        for factor in [Double.nan, -1, -Double.infinity] {
            #expect(try await replay(CassetteTransport(cassette, time: .scaled(by: factor))).times.last == .zero)
        }
    }

    @Test func timeoutsHoldByTheClock() async throws {
        let cassette = try await recordStream()
        let transport = { CassetteTransport(cassette, time: .asRecorded) }
        let idle = try await replay(transport(), Timeouts(idle: .milliseconds(500)))
        #expect((idle.failure as? NetworkClientError)?.timeout == .idle && idle.pieces == [])
        #expect(idle.times.last == .milliseconds(600))
        let attempt = try await replay(transport(), Timeouts(attempt: .milliseconds(2500)))
        #expect((attempt.failure as? NetworkClientError)?.timeout == .attempt && attempt.pieces == ["ab", "cd"])
        #expect(attempt.times.last == .milliseconds(2500))
    }

    // MARK: Ends

    @Test func aFailureIsReplayed() async throws {
        let cassette = try await recordStream(NetworkClientError(.connectionLost, "the connection was lost"))
        let result = try await replay(CassetteTransport(cassette, time: .asRecorded))
        #expect(result.pieces == ["ab", "cd", "ef"])
        #expect((result.failure as? NetworkClientError)?.code == .connectionLost)
        #expect((result.failure as? NetworkClientError)?.message == "the connection was lost")
        #expect(result.times.last == .milliseconds(4100))
    }

    @Test func aFailureBeforeTheHeadIsReplayed() async throws {
        let (client, recorder) = try tape.recorder(ScriptedTransport(.failure(NetworkClientError.timedOut(.connect))))
        await #expect(throws: NetworkClientError.self) { try await client.execute(get("/")) }
        try recorder.finish()
        let transport = CassetteTransport(try tape.cassette())
        let error = await #expect(throws: NetworkClientError.self) { try await transport.send(get("/")) }
        #expect(error?.timeout == .connect && error?.isUnprocessed == true)
    }

    @Test func whereTheReaderGaveUpNothingMoreComes() async throws {
        let (client, recorder) = try tape.recorder(ScriptedTransport(.pieces([Data("ab".utf8), Data("cd".utf8)])))
        for try await _ in try await client.execute(get("/")).body { break }
        try recorder.finish()
        let result = try await replay(CassetteTransport(try tape.cassette()), Timeouts(idle: .seconds(5)))
        #expect(result.pieces == ["ab"])
        let error = try #require(result.failure as? NetworkClientError)
        #expect(error.timeout == .idle && error.message.contains("the body was given up"))
    }

    @Test func aCancelEndsAWait() async throws {
        let cassette = try await recordStream()
        let transport = CassetteTransport(cassette, faults: [.stall])
        var request = try get("/")
        request.options.timeouts = Timeouts(connect: nil, idle: nil)
        let body = try await transport.send(request).body
        let reading = Task { try await body.collect() }
        await Task.yield()
        body.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test func aCancelledTaskEndsAWaitForTheHead() async throws {
        let (client, recorder) = try tape.recorder(ScriptedTransport(.silence))
        let recording = Task { try await client.execute(get("/")) }
        recording.cancel()
        _ = try? await recording.value
        try recorder.finish()
        let transport = CassetteTransport(try tape.cassette())
        var request = try get("/")
        request.options.timeouts = Timeouts(connect: nil, idle: nil)
        let call = Task { [request] in try await transport.send(request) }
        await Task.yield()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func aHeadRequestHasNoBodyAndItsLength() async throws {
        let text = #"""
            {"log": {"creator": {"name": "Strata"}, "entries": [{"request": {"method": "HEAD", "url": "https://api.example/"},
             "response": {"status": 200, "headers": [{"name": "Content-Length", "value": "500"}], "content": {}}}]}}
            """#
        let transport = CassetteTransport(try Cassette(Data(text.utf8)))
        let response = try await tape.client(transport).execute(
            TransportRequest(method: .head, url: "https://api.example/"))
        #expect(response.head.headerFields[.contentLength] == "500")
        #expect(try await response.body.collect().isEmpty)
    }

    @Test func aTransportThatWasShutDownAnswersNothing() async throws {
        let transport = CassetteTransport(try await record([get("/")]))
        await transport.shutdown()
        await #expect {
            try await transport.send(get("/"))
        } throws: {
            isFailure($0, .transportShutDown)
        }
    }

    // MARK: Faults and cutting

    @Test func aCutLosesTheConnectionAfterSoManyBytes() async throws {
        let cassette = try await recordStream()
        for bytes in 0..<6 {
            let result = try await replay(CassetteTransport(cassette, faults: [.cut(after: bytes)]))
            #expect(result.pieces.joined() == "abcdef".prefix(bytes))
            #expect((result.failure as? NetworkClientError)?.code == .connectionLost)
        }
        #expect(try await replay(CassetteTransport(cassette, faults: [.cut(after: 6)])).failure == nil)
    }

    @Test func aStallEndsInATimeout() async throws {
        let cassette = try await recordStream()
        let result = try await replay(
            CassetteTransport(cassette, time: .asRecorded, faults: [.stall(after: 3)]), Timeouts(idle: .seconds(10)))
        #expect(result.pieces == ["ab", "c"])
        #expect((result.failure as? NetworkClientError)?.timeout == .idle)
        #expect(result.times.last == .milliseconds(12_100))
    }

    @Test func faultsAreCountedAndChosen() async throws {
        let cassette = try await record([get("/a"), get("/a"), get("/b"), get("/b")])
        let transport = CassetteTransport(
            cassette,
            faults: [
                .failure(NetworkClientError(.dnsFailed, "no name")).on { $0.path == "/b" }.times(1),
                .cut(after: 1).times(1),
            ])
        await #expect(throws: NetworkClientError.self) { try await text(transport, get("/a")) }
        #expect(try await text(transport, get("/a")) == "1 /a")
        await #expect {
            try await transport.send(get("/b"))
        } throws: {
            isFailure($0, .dnsFailed)
        }
        #expect(try await text(transport, get("/b")) == "3 /b")
    }

    @Test func aDelayMovesHeadAndBody() async throws {
        let cassette = try await recordStream()
        let result = try await replay(CassetteTransport(cassette, time: .asRecorded, faults: [.delay(.seconds(3))]))
        #expect(result.times.first == .milliseconds(3100) && result.times.last == .milliseconds(7100))
    }

    @Test func bodiesAreCutInOtherPlaces() async throws {
        let cassette = try await recordStream()
        #expect(
            try await replay(CassetteTransport(cassette, rechunking: .oneByte)).pieces == [
                "a", "b", "c", "d", "e", "f",
            ])
        let byFour = try await replay(CassetteTransport(cassette, time: .asRecorded, rechunking: .every(4)))
        #expect(byFour.pieces == ["abcd", "ef"])
        #expect(byFour.times.dropFirst().prefix(2) == [.milliseconds(2100), .milliseconds(3100)])
        let splits = cassette.rechunked(.everySplit)
        var found: [[String]] = []
        for split in splits { found.append(try await replay(CassetteTransport(split)).pieces) }
        #expect(found == [["a", "bcdef"], ["ab", "cdef"], ["abc", "def"], ["abcd", "ef"], ["abcde", "f"]])
    }
}
