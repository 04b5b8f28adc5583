// SPDX-License-Identifier: Apache-2.0

import Logging
import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The index of a folder, with a connection for those who read and one for the one who writes, so that neither waits for the
/// other. When it fails there is no answer, and the log gets one line until it works again. A damaged index is begun anew.
final class SharedIndex: Sendable {
    private let folder: String
    private let files: BodyFiles
    private let logger: Logger
    private let reader = Mutex<EntryIndex?>(nil)
    private let writer = Mutex<EntryIndex?>(nil)
    private let trouble = Mutex(Trouble.none)

    /// What does not work, and was told.
    private enum Trouble {
        case none, reading, writing
    }

    init(folder: String, logger: Logger) {
        self.folder = folder
        self.logger = logger
        files = BodyFiles(folder: "\(folder)/bodies")
    }

    private var path: String { "\(folder)/index.sqlite" }

    /// - Returns: `nil` when it failed, or nothing was ever written.
    func read<Result: Sendable>(_ body: (EntryIndex) throws -> Result) -> Result? {
        attempt(.reading) {
            try reader.withLock { reader in
                if reader?.database.hasMoved == true { reader = nil }
                if reader == nil {
                    guard access(path, F_OK) == 0 else { return nil }
                    reader = try EntryIndex(readerOf: path, files: files)
                }
                do { return try reader.map(body) } catch {
                    reader = nil
                    throw error
                }
            }
        }
    }

    /// - Returns: `nil` when it failed.
    @discardableResult
    func write<Result: Sendable>(_ body: (EntryIndex) throws -> Result) -> Result? {
        attempt(.writing) {
            try writer.withLock { writer in
                do {
                    return try use(&writer, body)
                } catch let error as Database.Failure where error.isDamage {
                    tell(error, .writing)
                    discard()
                    return try use(&writer, body)
                }
            }
        }
    }

    /// A connection that has failed is not used again.
    private func use<Result: Sendable>(_ writer: inout EntryIndex?, _ body: (EntryIndex) throws -> Result) throws
        -> Result?
    {
        do {
            if writer?.database.hasMoved == true { writer = nil }
            if writer == nil { writer = try open() }
            return try writer.map(body)
        } catch {
            writer = nil
            throw error
        }
    }

    private func attempt<Result: Sendable>(_ side: Trouble, _ body: () throws -> Result?) -> Result? {
        do {
            guard let result = try body() else { return nil }
            // What cannot be written may well be read.
            trouble.withLock { if side == .writing || $0 == side { $0 = .none } }
            return result
        } catch {
            tell(error, side)
            return nil
        }
    }

    private func tell(_ error: any Error, _ side: Trouble) {
        let isNews = trouble.withLock { trouble in
            defer { if trouble != .writing { trouble = side } }
            return trouble == .none
        }
        if isNews { logger.warning("the cache in \(folder) does without what is there: \(error)") }
    }

    /// Makes what is missing. The database's companions get the mode of its own file.
    private func open() throws -> EntryIndex {
        try FileManager.default.createDirectory(
            atPath: "\(folder)/bodies", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let descriptor = openFile(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        close(descriptor)
        let index = try EntryIndex(writerOf: path, files: files)
        try index.removeStrayFiles()
        return index
    }

    /// Removes a damaged index, with all that it may have meant.
    private func discard() {
        reader.withLock { $0 = nil }
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        files.removeAll()
    }
}

// By this name because `open` is a function of the type.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
