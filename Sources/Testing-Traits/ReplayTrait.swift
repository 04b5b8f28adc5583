// SPDX-License-Identifier: Apache-2.0

public import StrataTesting
public import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Gives a test its cassette: ``StrataTesting/CassetteSession/current``, of which the test's client gets the transport.
///
///     @Suite(.cassettes("Fixtures"))
///     struct IssueTests {
///         @Test(.replay("github-issues")) func listsIssues() async throws {
///             let transport = CassetteSession.transport(over: CurlTransport())
///             …
///         }
///     }
///
/// Each test, and each case of a test with arguments, replays the cassette from its start, so that tests that run at the same time
/// share nothing. An entry that no request asked for, and a request that no entry fitted, are issues of the test. With
/// `STRATA_RECORD=1` in the environment the test records instead; see `CassetteSession`.
public struct ReplayTrait: TestTrait, SuiteTrait, TestScoping {
    let name: String?
    let folder: String
    var replay: ReplayOptions
    var recording: RecordingOptions

    /// Every test of a suite gets a cassette.
    public var isRecursive: Bool { true }

    /// What the cases of one test have used.
    @TaskLocal private static var ledger: CassetteLedger?

    @_documentation(visibility: internal)
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { test.isSuite ? nil : self }

    @_documentation(visibility: internal)
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else {
            let ledger = CassetteLedger()
            try await Self.$ledger.withValue(ledger) { try await function() }
            return Self.report(test) { try ledger.verify() }
        }
        let session = try CassetteSession(
            file(for: test), test: Self.name(of: test), replay: replay, recording: recording,
            environment: ProcessInfo.processInfo.environment, ledger: Self.ledger)
        do {
            try await CassetteSession.$current.withValue(session) { try await function() }
        } catch {
            // The test has failed already: what it did not ask for is no further failure.
            if session.isRecording { Self.report(test) { try session.finish() } }
            throw error
        }
        Self.report(test) { try session.finish() }
    }

    private static func report(_ test: Test, _ check: () throws -> Void) {
        do {
            try check()
        } catch {
            Issue.record(error, sourceLocation: test.sourceLocation)
        }
    }

    private static func name(of test: Test) -> String { "\(fileName(of: test)).\(test.name)" }

    private static func fileName(of test: Test) -> String {
        let name = test.sourceLocation.fileID.split(separator: "/").last ?? ""
        return name.hasSuffix(".swift") ? String(name.dropLast(6)) : String(name)
    }

    func file(for test: Test) throws -> URL {
        let name = name ?? "\(Self.fileName(of: test)).\(test.name.prefix { $0 != "(" })"
        return try CassettePath.file(named: name, in: CassettesTrait.folder, of: folder)
    }
}

/// Where the cassettes of a suite are; see `cassettes(_:filePath:)`.
public struct CassettesTrait: TestTrait, SuiteTrait, TestScoping {
    let path: String

    /// That of the innermost suite that names one.
    @TaskLocal static var folder: String?

    @_documentation(visibility: internal)
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? self : nil }

    @_documentation(visibility: internal)
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Self.$folder.withValue(path) { try await function() }
    }
}

extension Trait where Self == ReplayTrait {
    /// The test replays a cassette.
    ///
    /// - `name`: of the file, without `.har`, in the folder of ``cassettes(_:filePath:)``, or else in `Cassettes` beside the test's
    ///   source. Default: the names of the source's file and of the test's function, with a point between them.
    /// - `matching`: what has to be the same in a request and an entry. Default: method, URL and body.
    /// - `time`: Default: everything is there at once.
    /// - `allowsUnused`: whether entries that no request asked for are no failure.
    public static func replay(
        _ name: String? = nil, matching: [RequestMatcher] = RequestMatcher.standard, time: ReplayTime = .immediate,
        faults: [ReplayFault] = [], allowsUnused: Bool = false, filePath: String = #filePath
    ) -> Self {
        var options = ReplayOptions()
        options.matching = matching
        options.time = time
        options.faults = faults
        options.allowsUnused = allowsUnused
        return replay(name, options, filePath: filePath)
    }

    /// The same with all options.
    public static func replay(
        _ name: String? = nil, _ replay: ReplayOptions, recording: RecordingOptions = RecordingOptions(),
        filePath: String = #filePath
    ) -> Self {
        ReplayTrait(
            name: name, folder: CassettePath.folder(of: filePath), replay: replay, recording: recording)
    }
}

extension Trait where Self == CassettesTrait {
    /// The cassettes of the suite, or of the test, are in a folder.
    ///
    /// - `folder`: a path from the folder of the test's source on, or an absolute one.
    public static func cassettes(_ folder: String, filePath: String = #filePath) -> Self {
        CassettesTrait(path: folder.hasPrefix("/") ? folder : "\(CassettePath.folder(of: filePath))/\(folder)")
    }
}

enum CassettePath {
    static func folder(of file: String) -> String {
        file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    }

    static func file(named name: String, in folder: String?, of source: String) throws -> URL {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            throw CassettePathError(name: name)
        }
        let file = name.hasSuffix(".har") ? name : name + ".har"
        return URL(fileURLWithPath: "\(folder ?? source + "/Cassettes")/\(file)")
    }
}

/// The name of a cassette that leads out of its folder.
struct CassettePathError: Error, CustomStringConvertible {
    let name: String

    var description: String { "the cassette \"\(name)\" has to be in the folder of the cassettes" }
}
