// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
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

/// Files with secrets, which their owner alone may read and write (mode 0600).
package enum PrivateFile {
    /// Replaces the file. It appears whole or not at all: it is written beside its place, with its mode from the first byte,
    /// and then moved there.
    ///
    /// - Throws: a `POSIXError`.
    package static func write(_ data: Data, to path: String) throws {
        let temporary = "\(path).\(UUID().uuidString).new"
        do {
            try create(data, at: temporary)
            guard rename(temporary, path) == 0 else { throw failure }
            try syncFolder(of: path)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// The file's content; `nil` when there is no file.
    ///
    /// - Throws: a `POSIXError`.
    package static func read(_ path: String) throws -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure
        }
        defer { close(descriptor) }
        var data = Data()
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = piece.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                data.append(contentsOf: piece[..<count])
            } else if count == 0 {
                return data
            } else if errno != EINTR {
                throw failure
            }
        }
    }

    /// - Throws: a `POSIXError`. That there is no file is none.
    package static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure }
    }

    private static func create(_ data: Data, at path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure }
        defer { close(descriptor) }
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw failure
            }
        }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure }
    }

    /// The name, too, survives a loss of power.
    private static func syncFolder(of path: String) throws {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        // A folder may be writable and not readable.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure }
    }

    private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

// By these names because `read` and `write` are functions of the type.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
