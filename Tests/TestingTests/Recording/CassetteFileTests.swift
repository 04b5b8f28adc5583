// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

struct CassetteFileTests {
    private func record(_ count: Int, _ tape: Tape) async throws {
        let (client, _) = try tape.recorder(ScriptedTransport { .text("answer to \($0.path) \u{e9}") })
        for number in 0..<count { _ = try await client.execute(TransportRequest(url: "https://api.example/\(number)")) }
    }

    @Test func theFileIsWholeAfterEachEntry() async throws {
        let tape = try Tape()
        let (client, _) = try tape.recorder(ScriptedTransport())
        #expect(try tape.entries() == [])
        for number in 1...3 {
            _ = try await client.execute(TransportRequest(url: "https://api.example/"))
            #expect(try tape.entries().count == number)
        }
    }

    @Test func aFileThatIsCutAnywhereKeepsItsWholeEntries() async throws {
        let tape = try Tape()
        try await record(3, tape)
        let whole = try Data(contentsOf: tape.file)
        let start = try #require(whole.firstRange(of: Data("[".utf8))).upperBound
        // Behind the last byte of each entry.
        let ends = try (0..<3).map { number in
            let next = number < 2 ? Data(",\n{\"started".utf8) : Data("\n]}}".utf8)
            let from = try #require(whole.firstRange(of: Data("api.example/\(number)".utf8))).upperBound
            return try #require(whole[from...].firstRange(of: next)).lowerBound
        }
        for end in start..<whole.count - 1 {
            let cassette = try Cassette(whole.prefix(end))
            #expect(cassette.entries.count == ends.count { $0 <= end }, "cut at byte \(end)")
            #expect(cassette.isCutOff, "cut at byte \(end)")
        }
        #expect(try !Cassette(whole).isCutOff)
        for end in 0..<start { #expect(throws: CassetteError.self) { try Cassette(whole.prefix(end)) } }
    }

    @Test func recordingGoesOnInAFileThatWasCutOff() async throws {
        let tape = try Tape()
        try await record(2, tape)
        let whole = try Data(contentsOf: tape.file)
        for missing in [1, 5, 6, 40, 300] {
            try whole.dropLast(missing).write(to: tape.file)
            let kept = try tape.cassette().entries.count
            try await record(1, tape)
            #expect(try tape.entries().count == kept + 1)
        }
    }

    @Test func aCutWhileRecordingIsMended() async throws {
        let tape = try Tape()
        let (client, recorder) = try tape.recorder(ScriptedTransport())
        _ = try await client.execute(TransportRequest(url: "https://api.example/1"))
        try Data(contentsOf: tape.file).dropLast(3).write(to: tape.file)
        _ = try await client.execute(TransportRequest(url: "https://api.example/2"))
        try recorder.finish()
        #expect(try tape.entries().count == 2)
    }

    @Test func aFormattedFileIsAddedTo() async throws {
        let tape = try Tape()
        try await record(2, tape)
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: tape.file))
        try JSONSerialization.data(withJSONObject: object, options: .prettyPrinted).write(to: tape.file)
        try await record(1, tape)
        #expect(try tape.entries().count == 3)
    }

    @Test func recordersThatShareAFileLoseNothing() async throws {
        let tape = try Tape()
        let recorders = try (0..<4).map { _ in try CassetteRecorder(tape.file) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (writer, recorder) in recorders.enumerated() {
                let client = tape.client(ScriptedTransport(.text("x")), [RecordingMiddleware(recorder)])
                for number in 0..<25 {
                    group.addTask {
                        _ = try await client.execute(TransportRequest(url: "https://api.example/\(writer)/\(number)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        for recorder in recorders { try recorder.finish() }
        #expect(Set(try tape.cassette().entries.map(\.url)).count == 100)
        #expect(try tape.entries().count == 100)
    }

    @Test func aLinkInTheCassettesPlaceIsNotFollowed() throws {
        let tape = try Tape()
        try Data("precious".utf8).write(to: tape.folder["other"])
        try FileManager.default.createSymbolicLink(at: tape.file, withDestinationURL: tape.folder["other"])
        #expect(throws: CassetteError.self) { try CassetteRecorder(tape.file) }
        #expect(try tape.folder.text("other") == "precious")
    }

    @Test func aFileThatIsNoCassetteIsLeftAlone() throws {
        let tape = try Tape()
        try Data("my notes".utf8).write(to: tape.file)
        #expect(throws: CassetteError.self) { try CassetteRecorder(tape.file) }
        #expect(try tape.folder.text("tape.har") == "my notes")
    }
}
