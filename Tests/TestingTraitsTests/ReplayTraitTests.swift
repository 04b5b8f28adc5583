// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import Synchronization
import TestSupport
import Testing

@testable import StrataTestingTraits

@Suite(.serialized)
struct ReplayTraitTests {
    /// Runs a trait's scope as Swift Testing does: around the test, and in it around each case.
    private func run(
        _ trait: ReplayTrait, cases: Int = 1, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let test = try #require(Test.current)
        let testCase = try #require(Test.Case.current)
        try await trait.provideScope(for: test, testCase: nil) {
            for _ in 0..<cases {
                try await trait.provideScope(for: test, testCase: testCase, performing: body)
            }
        }
    }

    private func trait(_ name: String? = nil, _ folder: TemporaryFolder) -> ReplayTrait {
        .replay(name, filePath: folder["Source.swift"].path)
    }

    private func cassette(_ paths: [String], _ folder: TemporaryFolder, named name: String) async throws {
        let file = folder["Cassettes/\(name).har"]
        let recorder = try CassetteRecorder(file)
        let transport = RecordingTransport(ScriptedTransport { .text($0.path) }, to: recorder)
        for path in paths { _ = try await transport.send(TransportRequest(url: "https://api.example\(path)")) }
        try recorder.finish()
    }

    private static func get(_ path: String) async throws -> String {
        let transport = CassetteSession.transport(over: ScriptedTransport())
        let response = try await transport.send(TransportRequest(url: "https://api.example\(path)"))
        return String(decoding: try await response.body.collect(), as: UTF8.self)
    }

    /// The server has answered with the path.
    private static func expect(_ path: String) async throws {
        let text = try await get(path)
        #expect(text == path)
    }

    @Test func theCassetteIsBesideTheTestsSource() async throws {
        let folder = try TemporaryFolder()
        try await cassette(["/a"], folder, named: "mine")
        try await run(trait("mine", folder)) { try await Self.expect("/a") }
    }

    @Test func itsNameIsThatOfTheTest() async throws {
        let folder = try TemporaryFolder()
        try await cassette(["/a"], folder, named: "ReplayTraitTests.itsNameIsThatOfTheTest")
        try await run(trait(nil, folder)) { try await Self.expect("/a") }
    }

    @Test func theFolderOfTheSuiteCounts() async throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        try await cassette(["/a"], folder, named: "mine")
        let suite = CassettesTrait.cassettes(folder["Cassettes"].path)
        let trait = trait("mine", other)
        try await suite.provideScope(for: #require(Test.current), testCase: nil) {
            try await run(trait) { try await Self.expect("/a") }
        }
        #expect(CassettesTrait.cassettes("Fixtures", filePath: "/x/y/Tests.swift").path == "/x/y/Fixtures")
    }

    @Test(arguments: ["../escape", "a/../b", "/etc/passwd", "a//b"])
    func aNameThatLeadsAwayIsRefused(_ name: String) async throws {
        let folder = try TemporaryFolder()
        await #expect(throws: CassettePathError.self) { try await run(trait(name, folder)) {} }
    }

    @Test func anUnusedEntryIsAnIssue() async throws {
        let folder = try TemporaryFolder()
        try await cassette(["/a", "/b"], folder, named: "mine")
        try await withKnownIssue {
            try await run(trait("mine", folder)) { _ = try await Self.get("/a") }
        } matching: { issue in
            (issue.error as? CassetteError)?.kind == .unused
        }
    }

    @Test func anUnmatchedRequestIsAnIssueAlsoWhenTheAppHidesIt() async throws {
        let folder = try TemporaryFolder()
        try await cassette(["/a"], folder, named: "mine")
        try await withKnownIssue {
            try await run(trait("mine", folder)) {
                _ = try await Self.get("/a")
                _ = try? await Self.get("/other")
            }
        } matching: { issue in
            (issue.error as? CassetteError)?.kind == .unmatched
        }
    }

    @Test func aMissingCassetteFailsTheTest() async throws {
        let folder = try TemporaryFolder()
        let error = await #expect(throws: CassetteError.self) { try await run(trait("mine", folder)) {} }
        #expect(error?.kind == .missing)
    }

    @Test func theCasesOfATestShareTheEntriesAndNotTheirUse() async throws {
        let folder = try TemporaryFolder()
        try await cassette(["/0", "/1", "/1"], folder, named: "mine")
        let number = Counter()
        try await run(trait("mine", folder), cases: 2) {
            let own = number.next()
            try await Self.expect("/\(own)")
            // The first case has not used it up.
            try await Self.expect("/1")
            if own == 1 { _ = try await Self.get("/0") }
        }
    }

    @Test func aSuiteGivesEachOfItsTestsACassette() throws {
        let trait = ReplayTrait.replay()
        #expect(trait.isRecursive)
        #expect(trait.scopeProvider(for: try #require(Test.current), testCase: nil) != nil)
    }

    private final class Counter: Sendable {
        private let value = Mutex(0)

        func next() -> Int {
            value.withLock { value in
                defer { value += 1 }
                return value
            }
        }
    }
}
