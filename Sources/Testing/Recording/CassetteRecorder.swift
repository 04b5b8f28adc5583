// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Writes exchanges to a cassette, one by one. Several recorders, also of several processes, may write to one file.
public final class CassetteRecorder: Sendable {
    private struct State {
        var open: [Int: ExchangeRecording] = [:]
        var begun = 0
        var written = 0
        var failure: (any Error)?
    }

    /// The test that is named in each entry.
    let test: String?
    let options: RecordingOptions
    let file: CassetteFile
    private let state = Mutex(State())

    /// - `file`: is made, with its folder, when it is not there; else entries are added to it.
    /// - Throws: ``CassetteError`` when the file cannot be made, or is no HAR file.
    public convenience init(_ file: URL, options: RecordingOptions = RecordingOptions()) throws {
        try self.init(file, options: options, test: nil) { _ in false }
    }

    /// - Parameter isReplaced: which of the entries in the file are removed, by the test that recorded them.
    init(_ file: URL, options: RecordingOptions, test: String?, dropping isReplaced: (String?) -> Bool) throws {
        self.file = CassetteFile(path: file.path)
        self.options = options
        self.test = test
        do {
            try self.file.prepare(dropping: isReplaced)
        } catch let error as CassetteError {
            throw error
        } catch {
            throw CassetteError(.fileFailed, file.lastPathComponent, "the file cannot be written: \(error)")
        }
    }

    /// How many exchanges have been written.
    public var count: Int { state.withLock(\.written) }

    /// Writes the exchanges whose bodies are still being read, as given up.
    ///
    /// - Throws: ``CassetteError`` with the first failure to write.
    public func finish() throws {
        for recording in state.withLock({ Array($0.open.values) }) { recording.end(.abandoned) }
        guard let failure = state.withLock(\.failure) else { return }
        if let error = failure as? CassetteError { throw error }
        throw CassetteError(
            .fileFailed, CassetteFolder.name(of: file.path), "an exchange could not be written: \(failure)")
    }

    func begin(_ recording: ExchangeRecording) -> Int {
        state.withLock { state in
            state.begun += 1
            state.open[state.begun] = recording
            return state.begun
        }
    }

    /// - Parameter entry: makes the entry's text.
    func write(_ number: Int, _ entry: () throws -> [UInt8]) {
        let failure: (any Error)?
        do {
            try file.append(try entry())
            failure = nil
        } catch {
            failure = error
        }
        state.withLock { state in
            state.open[number] = nil
            if failure == nil { state.written += 1 }
            state.failure = state.failure ?? failure
        }
    }
}
