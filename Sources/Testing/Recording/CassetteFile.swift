// SPDX-License-Identifier: Apache-2.0

import StrataCore

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

/// A cassette that entries are appended to. After each it is a whole HAR file; when the process dies while it appends, the file
/// ends within the last entry, and the next who writes removes that.
///
/// Every write holds a lock of the file (`flock`), so that processes and tests that record to the same cassette take turns. Its
/// owner alone may read the file (mode 0600): masked or not, it holds what a server told this user.
struct CassetteFile: Sendable {
    let path: String

    private static let head = Array(
        #"{"log":{"version":"1.2","creator":{"name":"\#(HARWriter.creator)","version":"\#(StrataVersion.current)"},"entries":["#
            .utf8)
    private static let tail = Array("\n]}}\n".utf8)

    /// Makes the file where there is none; else removes the entries that are to be recorded anew, with the files of their bodies.
    ///
    /// - Parameter isReplaced: gets the name of the test that recorded the entry.
    func prepare(dropping isReplaced: (String?) -> Bool) throws {
        try CassetteFolder.make(CassetteFolder.parent(of: path))
        let descriptor = try openLocked(creates: true)
        defer { close(descriptor) }
        guard try size(of: descriptor) > 0 else { return try rewrite([]) }
        let reader = try Cassette.read(try PrivateFile.read(path) ?? Data(), name: CassetteFolder.name(of: path))
        var kept: [ArraySlice<UInt8>] = []
        for (entry, range) in zip(reader.entries, reader.entryRanges) {
            if isReplaced(entry.test) { removeBodies(of: entry) } else { kept.append(reader.text.bytes[range]) }
        }
        try rewrite(kept)
    }

    func append(_ entry: [UInt8]) throws {
        let descriptor = try openLocked(creates: false)
        defer { close(descriptor) }
        var end = try size(of: descriptor) - Int64(Self.tail.count)
        var last = try read(descriptor, at: end - 1, count: Self.tail.count + 1)
        guard last.dropFirst().elementsEqual(Self.tail) else {
            // A crash, or a tool that has formatted the file.
            let reader = try Cassette.read(try PrivateFile.read(path) ?? Data(), name: CassetteFolder.name(of: path))
            return try rewrite(reader.entryRanges.map { reader.text.bytes[$0] } + [entry[...]])
        }
        let separator: StaticString = last[0] == UInt8(ascii: "[") ? "\n" : ",\n"
        // First the tail goes: whenever this is interrupted, the file just ends too early.
        guard ftruncate(descriptor, off_t(end)) == 0 else { throw Self.failure }
        last = separator.withUTF8Buffer { Array($0) } + entry + Self.tail
        while !last.isEmpty {
            let count = last.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(end)) }
            guard count > 0 || errno == EINTR else { throw Self.failure }
            last.removeFirst(max(count, 0))
            end += Int64(max(count, 0))
        }
    }

    /// Replaces the file in one step.
    private func rewrite(_ entries: [ArraySlice<UInt8>]) throws {
        var text = Self.head
        for (index, entry) in entries.enumerated() {
            text += (index == 0 ? "\n" : ",\n").utf8
            text += entry
        }
        try PrivateFile.write(Data(text + Self.tail), to: path)
    }

    /// The file, with nobody else in it. Who waits here may get a file that has been replaced meanwhile, and asks again.
    private func openLocked(creates: Bool) throws -> Int32 {
        while true {
            let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (creates ? O_CREAT : 0), 0o600)
            guard descriptor >= 0 else { throw Self.failure }
            while flock(descriptor, LOCK_EX) != 0 {
                guard errno == EINTR else {
                    defer { close(descriptor) }
                    throw Self.failure
                }
            }
            var (opened, named) = (stat(), stat())
            if fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_ino == named.st_ino,
                opened.st_dev == named.st_dev
            {
                return descriptor
            }
            close(descriptor)
        }
    }

    private func size(of descriptor: Int32) throws -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure }
        return Int64(status.st_size)
    }

    private func read(_ descriptor: Int32, at offset: Int64, count: Int) throws -> [UInt8] {
        guard offset >= 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let found = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        guard found >= 0 else { throw Self.failure }
        return Array(bytes.prefix(found))
    }

    private func removeBodies(of entry: Cassette.Entry) {
        var entry = entry
        entry.folder = CassetteFolder.parent(of: path)
        for content in [entry.requestContent, entry.responseContent] + (entry.messages ?? []).map(\.content) {
            if let path = try? entry.bodyPath(content, "") { unlink(path) }
        }
    }

    private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
