// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A test's cassette: replayed, or recorded when the environment says so.
///
///     let session = try CassetteSession(file, test: "GitHubTests.listsIssues()")
///     let client = NetworkClient(configuration: .init(baseURL: url, transport: session.transport(over: CurlTransport())))
///     …
///     try session.finish()
///
/// `STRATA_RECORD=1` records: the entries of the same test are replaced, those of others stay. `STRATA_RECORD=missing` records where
/// the file has no entry of the test. In CI, where `CI` is set, nothing is recorded: asked for it, the session throws.
///
/// For Swift Testing, the traits of `StrataTestingTraits` do this.
public final class CassetteSession: Sendable {
    private enum Mode: Sendable {
        case replay(CassetteTransport, CassettePlayer)
        case record(CassetteRecorder)
    }

    private let mode: Mode
    private let allowsUnused: Bool
    private let ledger: CassetteLedger?

    /// That of the test that is running; set by the trait.
    @TaskLocal public static var current: CassetteSession?

    /// - `test`: its name, by which its entries are known in a file of several tests. `nil`: entries without one.
    /// - `environment`: Default: that of the process.
    /// - Throws: ``CassetteError``: there is no such file, it is damaged, or recording is asked for in CI.
    public convenience init(
        _ file: URL, test: String? = nil, replay: ReplayOptions = ReplayOptions(),
        recording: RecordingOptions = RecordingOptions(),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        try self.init(file, test: test, replay: replay, recording: recording, environment: environment, ledger: nil)
    }

    /// - Parameter ledger: where several sessions of one test note what they used.
    package init(
        _ file: URL, test: String?, replay: ReplayOptions, recording: RecordingOptions, environment: [String: String],
        ledger: CassetteLedger?
    ) throws {
        allowsUnused = replay.allowsUnused
        self.ledger = ledger
        if try RecordingWish(environment, file).records(file, test) {
            // Of several sessions of one test, the first replaces what an earlier run has recorded.
            let isFirst = ledger?.beginRecording() ?? true
            mode = .record(
                try CassetteRecorder(file, options: recording, test: test) { isFirst && $0 == test })
        } else {
            let player = CassettePlayer(
                try Cassette.forReplay(file), matching: replay.matching, test: test)
            mode = .replay(CassetteTransport(player, options: replay), player)
        }
    }

    public var isRecording: Bool {
        if case .record = mode { true } else { false }
    }

    /// What the test's client sends its requests through.
    ///
    /// - `upstream`: is made when the session records, and else not.
    public func transport(over upstream: @autoclosure () -> any NetworkTransport) -> any NetworkTransport {
        switch mode {
        case .replay(let transport, _): transport
        case .record(let recorder): RecordingTransport(upstream(), to: recorder)
        }
    }

    /// The same for the test that is running. Where none has a cassette, every request fails.
    public static func transport(over upstream: @autoclosure () -> any NetworkTransport) -> any NetworkTransport {
        guard let current else { return ScriptedTransport(.failure(missing)) }
        return current.transport(over: upstream())
    }

    private static let missing = CassetteError(
        .misuse, "no cassette", "the test has no cassette: give it the trait .replay(\"name\")")

    /// To be called when the test is over.
    ///
    /// - Throws: ``CassetteError``: entries that no request asked for, requests that none fitted, or exchanges that could
    ///   not be written.
    public func finish() throws {
        switch mode {
        case .record(let recorder): try recorder.finish()
        case .replay(_, let player):
            guard let ledger else { return try player.verify(allowsUnused: allowsUnused) }
            ledger.add(player, allowsUnused: allowsUnused)
            try player.verify(allowsUnused: true)
            try player.verifySent(allowsUnsent: allowsUnused)
        }
    }
}

/// What the cases of one test have used of their cassette: an entry that one of them asked for is not unused.
package final class CassetteLedger: Sendable {
    private struct State {
        var hasRecorded = false
        var player: CassettePlayer?
        var used: Set<Int> = []
        var allowsUnused = false
    }

    private let state = Mutex(State())

    package init() {}

    func beginRecording() -> Bool {
        state.withLock { state in
            defer { state.hasRecorded = true }
            return !state.hasRecorded
        }
    }

    func add(_ player: CassettePlayer, allowsUnused: Bool) {
        let used = player.used
        state.withLock { state in
            state.player = player
            state.used.formUnion(used)
            state.allowsUnused = allowsUnused
        }
    }

    /// - Throws: ``CassetteError`` that names the entries that no case asked for.
    package func verify() throws {
        let state = state.withLock { $0 }
        try state.player?.verifyUnused(allowsUnused: state.allowsUnused, besides: state.used)
    }
}

/// Whether the environment asks for a recording.
private struct RecordingWish {
    private enum Value { case none, missing, all }

    private let value: Value

    init(_ environment: [String: String], _ file: URL) throws {
        switch environment["STRATA_RECORD"]?.lowercased() {
        case nil, "", "0", "false", "no", "none": value = .none
        case "1", "true", "yes", "all": value = .all
        case "missing", "new": value = .missing
        case let other?:
            throw CassetteError(
                .misuse, file.lastPathComponent, "STRATA_RECORD is \"\(other)\", and can be 1, missing or 0")
        }
        let ci = environment["CI"]?.lowercased() ?? ""
        guard value != .none, !["", "0", "false", "no"].contains(ci) else { return }
        throw CassetteError(
            .misuse, file.lastPathComponent,
            "STRATA_RECORD is set, and so is CI: in CI cassettes are replayed and not recorded")
    }

    func records(_ file: URL, _ test: String?) throws -> Bool {
        switch value {
        case .none: return false
        case .all: return true
        case .missing:
            guard FileManager.default.fileExists(atPath: file.path) else { return true }
            let tests = Set(try Cassette(contentsOf: file).entries.map(\.test))
            return tests.isEmpty || tests.count > 1 && !tests.contains(test)
        }
    }
}

extension Cassette {
    fileprivate static func forReplay(_ file: URL) throws -> Cassette {
        do {
            return try Cassette(contentsOf: file)
        } catch let error as CassetteError where error.kind == .missing {
            throw CassetteError(
                .missing, error.cassette, "\(error.message); STRATA_RECORD=1 in the environment records it")
        }
    }
}
