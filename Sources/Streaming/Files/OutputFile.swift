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

/// A file that is being written. Every failure is a ``NetworkClientError`` with code `fileFailed`.
final class OutputFile {
    let path: String
    private var descriptor: Int32

    /// - Parameters:
    ///   - isNew: whether the file is made here and must not exist. If not, an existing file keeps its bytes.
    ///   - isPrivate: whether only its owner may read it when it is made.
    init(path: String, isNew: Bool, isPrivate: Bool = false) throws {
        self.path = path
        // A link in its place would lead elsewhere.
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (isNew ? O_EXCL : 0)
        descriptor = open(path, flags, isPrivate ? 0o600 : 0o666)
        guard descriptor >= 0 else { throw Self.failure("created", path) }
    }

    deinit { close() }

    /// Lets go of it. A second call does nothing.
    func close() {
        guard descriptor >= 0 else { return }
        // Unlocked explicitly: a child process that is just being started may have a copy of the descriptor, and would
        // hold the lock.
        flock(descriptor, LOCK_UN)
        closeDescriptor(descriptor)
        descriptor = -1
    }

    /// Makes sure that nobody else writes to it, for as long as it is open.
    func lock() throws {
        let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        guard isLocked || errno == EWOULDBLOCK else { throw Self.failure("locked", path) }
        // The download that held the lock until now may have moved the file to its final name since it was opened here.
        var (opened, named) = (stat(), stat())
        guard isLocked, fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_ino == named.st_ino,
            opened.st_dev == named.st_dev
        else { throw NetworkClientError(.fileFailed, "another download writes to \(path)") }
    }

    /// How many bytes it has.
    func size() throws -> Int64 { Int64(try status().st_size) }

    /// Whether it has another name beside this one.
    func hasOtherName() throws -> Bool { try status().st_nlink > 1 }

    private func status() throws -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("read", path) }
        return status
    }

    /// Gives the file the permissions of the one at `path`, if there is one; its owner may always read and write it.
    ///
    /// - Returns: the permissions without the owner's further ones.
    func takePermissions(of path: String) -> mode_t? {
        var (own, other) = (stat(), stat())
        guard stat(path, &other) == 0, fstat(descriptor, &own) == 0 else { return nil }
        var mode = other.st_mode & 0o777
        // What a group may do is for that group alone.
        if own.st_gid != other.st_gid, fchown(descriptor, .max, other.st_gid) != 0 { mode &= ~0o070 }
        setPermissions(mode | 0o600)
        return mode
    }

    func setPermissions(_ mode: mode_t) { _ = fchmod(descriptor, mode) }

    /// Drops what is beyond `size`, and goes on there.
    func truncate(to size: Int64) throws {
        guard ftruncate(descriptor, off_t(size)) == 0, lseek(descriptor, off_t(size), SEEK_SET) >= 0 else {
            throw Self.failure("cut", path)
        }
    }

    func write(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = writeBytes(descriptor, rest)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { throw Self.failure("written", path) }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    /// Makes sure that the bytes are on disk. Some file systems report only now that there was no room.
    func synchronize() throws {
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw Self.failure("written", path) }
    }

    /// Moves a file to its final name.
    ///
    /// - Parameter replaces: whether a file that has the name already is replaced, else it is an error.
    static func move(_ path: String, to name: String, replaces: Bool) throws {
        if replaces {
            guard rename(path, name) == 0 else { throw failure("put in its place", name) }
        } else {
            // A link is the one way to give a name that fails when it is taken.
            if link(path, name) != 0 {
                guard errno != EEXIST else { throw failure("put in its place", name) }
                // Not every file system has links: there the name is taken first, by an empty file.
                try OutputFile(path: name, isNew: true).close()
                guard rename(path, name) == 0 else {
                    let error = failure("put in its place", name)
                    unlink(name)
                    throw error
                }
                return
            }
            unlink(path)
        }
    }

    static func remove(_ path: String) { unlink(path) }

    /// What stands at a path; `nil` when nothing does.
    static func kind(of path: String) -> (isRegular: Bool, isFolder: Bool)? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return (status.st_mode & S_IFMT == S_IFREG, status.st_mode & S_IFMT == S_IFDIR)
    }

    /// Whether the name is taken, be it by a link that leads nowhere.
    ///
    /// - Throws: when no file can have it, since it is too long.
    static func isTaken(_ path: String) throws -> Bool {
        var status = stat()
        if lstat(path, &status) == 0 { return true }
        guard errno != ENAMETOOLONG else { throw failure("created", path) }
        return false
    }

    private static func failure(_ verb: String, _ path: String) -> NetworkClientError {
        let code = errno
        return NetworkClientError(
            .fileFailed, "the file \(path) could not be \(verb): \(String(cString: strerror(code)))",
            cause: POSIXErrorCode(rawValue: code).map { POSIXError($0) })
    }
}

// Functions of the system whose names the class has for its own.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
