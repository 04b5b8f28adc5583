// SPDX-License-Identifier: Apache-2.0

import Crypto
import StrataCache
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

/// The files of large bodies: each is written once, under a name of its own, and never changed.
final class BodyFiles: Sendable {
    /// The longest body that is handed out from memory.
    private static let longestInMemory: Int64 = 1024 * 1024
    /// How long a file may be without an entry: another process may be about to write that.
    private static let longestAlone = 3600.0

    private let folder: String
    /// Names of files whose hash was right.
    private let sound = Mutex<Set<String>>([])

    init(folder: String) { self.folder = folder }

    static func hash(of data: Data) -> Data { Data(SHA256.hash(data: data)) }

    /// Writes a body.
    ///
    /// - Returns: the file's name.
    func write(_ body: Data) throws -> String {
        let name = UUID().uuidString
        try PrivateFile.write(body, to: path(of: name))
        return name
    }

    func remove(_ name: String) {
        try? PrivateFile.remove(path(of: name))
        sound.withLock { _ = $0.remove(name) }
    }

    /// The body in a file; `nil` unless it is the one that was written there.
    func body(_ name: String, length: Int64, hash: Data) -> CacheBody? {
        guard let file = OpenFile(path: path(of: name)), file.size == length else { return nil }
        if length <= Self.longestInMemory {
            guard let data = file.content(length: length), Self.hash(of: data) == hash else { return nil }
            return CacheBody(data)
        }
        if !sound.withLock({ $0.contains(name) }) {
            guard file.hash == hash else { return nil }
            sound.withLock { names in
                if names.count > 10_000 { names.removeAll() }
                names.insert(name)
            }
        }
        // The file stays open, so that the body can be read when its entry has gone meanwhile.
        return CacheBody(length: length) { try file.source(length: length) }
    }

    /// Removes the files that no entry has: what was being written when a process ended.
    func removeAll(except names: Set<String>, now: Date = Date()) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where !names.contains(name) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path(of: name))
            guard let changed = attributes?[.modificationDate] as? Date else { continue }
            if now.timeIntervalSince(changed) > Self.longestAlone { remove(name) }
        }
    }

    func removeAll() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] { remove(name) }
    }

    private func path(of name: String) -> String { "\(folder)/\(name)" }
}

/// A file that is open for reading.
private final class OpenFile: Sendable {
    private let descriptor: Int32
    let size: Int64

    init?(path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            size = 0
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    func content(length: Int64) -> Data? {
        var data = Data(count: Int(length))
        let count = data.withUnsafeMutableBytes { bytes in
            var count = 0
            while count < bytes.count {
                let read = pread(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count, off_t(count))
                if read > 0 { count += read } else if read == 0 || errno != EINTR { break }
            }
            return count
        }
        return count == data.count ? data : nil
    }

    var hash: Data? {
        var hasher = SHA256()
        var piece = [UInt8](repeating: 0, count: 256 * 1024)
        var offset: Int64 = 0
        while offset < size {
            let count = piece.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            if count > 0 {
                piece.withUnsafeBytes { hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
                offset += Int64(count)
            } else if count == 0 || errno != EINTR {
                return nil
            }
        }
        return Data(hasher.finalize())
    }

    func source(length: Int64) throws -> any BodySource {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return FileBodySource(descriptor: copy, offset: 0, length: length)
    }
}
