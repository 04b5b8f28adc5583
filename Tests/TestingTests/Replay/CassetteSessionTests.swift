// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import TestSupport
import Testing

struct CassetteSessionTests {
    private let tape: Tape
    private let recording = ["STRATA_RECORD": "1"]

    init() throws { tape = try Tape() }

    private func session(_ test: String?, _ environment: [String: String] = [:]) throws -> CassetteSession {
        try CassetteSession(tape.file, test: test, environment: environment)
    }

    private func run(_ session: CassetteSession, _ paths: [String], answer: String = "x") async throws -> [String] {
        let transport = session.transport(over: ScriptedTransport(.text(answer)))
        var texts: [String] = []
        for path in paths {
            let response = try await transport.send(TransportRequest(url: "https://api.example\(path)"))
            texts.append(String(decoding: try await response.body.collect(), as: UTF8.self))
        }
        try session.finish()
        return texts
    }

    @Test func itRecordsWhenTheEnvironmentSaysSoAndReplaysElse() async throws {
        #expect(try await run(session("t", recording), ["/a"], answer: "first") == ["first"])
        let replay = try session("t")
        #expect(!replay.isRecording)
        #expect(try await run(replay, ["/a"], answer: "second") == ["first"])
    }

    @Test(arguments: ["1", "true", "missing", "all"])
    func nothingIsRecordedInCI(_ value: String) throws {
        let error = #expect(throws: CassetteError.self) {
            try CassetteSession(tape.file, environment: ["STRATA_RECORD": value, "CI": "true"])
        }
        #expect(error?.kind == .misuse && error?.message.contains("CI") == true)
        #expect(try tape.folder.names == [])
        #expect(throws: Never.self) {
            try CassetteSession(tape.file, environment: ["STRATA_RECORD": value, "CI": "false"])
        }
    }

    @Test func anUnknownWishIsAnError() throws {
        #expect(throws: CassetteError.self) { try session(nil, ["STRATA_RECORD": "maybe"]) }
    }

    @Test func aMissingCassetteSaysHowItIsRecorded() throws {
        let error = #expect(throws: CassetteError.self) { try session("t") }
        #expect(error?.kind == .missing && error?.message.contains("STRATA_RECORD=1") == true)
    }

    @Test func aTestReplacesItsOwnEntriesAlone() async throws {
        _ = try await run(session("one", recording), ["/1", "/2"])
        _ = try await run(session("two", recording), ["/3"])
        _ = try await run(session("one", recording), ["/4"])
        #expect(try tape.cassette().entries.map(\.url).sorted() == ["https://api.example/3", "https://api.example/4"])
        _ = try await run(session("one"), ["/4"])
        _ = try await run(session("two"), ["/3"])
    }

    @Test func aCassetteOfOneTestServesAnother() async throws {
        _ = try await run(session("one", recording), ["/1"])
        #expect(try await run(session("renamed"), ["/1"]) == ["x"])
    }

    @Test func sessionsShareNothing() async throws {
        _ = try await run(session("t", recording), ["/1"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { _ = try await run(session("t"), ["/1"]) } }
            try await group.waitForAll()
        }
    }

    @Test func anUnusedEntryFailsTheEnd() async throws {
        _ = try await run(session("t", recording), ["/1", "/2"])
        await #expect(throws: CassetteError.self) { try await run(session("t"), ["/1"]) }
    }

    @Test func onlyWhatIsMissingIsRecorded() async throws {
        let missing = ["STRATA_RECORD": "missing"]
        #expect(try session("t", missing).isRecording)
        _ = try await run(session("t", recording), ["/1"])
        #expect(try !session("t", missing).isRecording)
        _ = try await run(session("u", recording), ["/1"])
        #expect(try session("v", missing).isRecording)
    }

    @Test func theFilesOfReplacedBodiesAreRemoved() async throws {
        var options = RecordingOptions()
        options.largestInlineBody = 10
        for _ in 0..<2 {
            let session = try CassetteSession(tape.file, test: "t", recording: options, environment: recording)
            _ = try await run(session, ["/1"], answer: String(repeating: "x", count: 100))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: tape.folder["tape.bodies"].path).count == 1)
    }

    @Test func withoutACassetteEveryRequestFails() async throws {
        let transport = CassetteSession.transport(over: ScriptedTransport())
        await #expect(throws: CassetteError.self) {
            try await transport.send(TransportRequest(url: "https://api.example/"))
        }
    }
}
