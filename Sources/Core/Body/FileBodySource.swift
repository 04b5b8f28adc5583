// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A part of a file, read in pieces of 64 KiB, so that memory stays bounded whatever the size.
package final class FileBodySource: BodySource {
    private struct State {
        var descriptor: Int32
        var offset: Int64
        var remaining: Int64

        mutating func closeFile() {
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    private static let pieceSize = 64 * 1024
    private let state: Mutex<State>
    private let isCancelled = Atomic(false)
    /// In bytes.
    package let length: Int64

    /// - Throws: ``NetworkClientError/Code-swift.struct/uploadFailed`` when the file cannot be opened.
    package convenience init(path: String, offset: Int64, length: Int64) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor != -1 else { throw Self.failure("opened") }
        self.init(descriptor: descriptor, offset: offset, length: length)
    }

    /// - Parameter descriptor: closed at the end of the source's life.
    package init(descriptor: Int32, offset: Int64, length: Int64) {
        self.length = length
        state = Mutex(State(descriptor: descriptor, offset: offset, remaining: length))
    }

    deinit { cancel() }

    package func next() throws -> Data? {
        var piece = Data(count: state.withLock { Int(min(Int64(Self.pieceSize), $0.remaining)) })
        let count = try piece.withUnsafeMutableBytes { try read(into: $0) }
        if count == 0 { return nil }
        return count == piece.count ? piece : piece.prefix(count)
    }

    /// The next bytes, where there is room for them already.
    ///
    /// - Returns: how many; 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try transfer(buffer.count) { descriptor, offset, wanted in
            var count: Int
            repeat {
                count = pread(descriptor, buffer.baseAddress, wanted, off_t(offset))
            } while count < 0 && errno == EINTR
            guard count >= 0 else { throw Self.failure("read") }
            guard count > 0 else { throw Self.shorter }
            return count
        }
    }

    package static var shorter: NetworkClientError {
        NetworkClientError(.uploadFailed, "the file became shorter while it was sent")
    }

    /// Has somebody else take the next bytes out of the file. It stays open until that returns.
    ///
    /// - Parameters:
    ///   - most: more are not wanted.
    ///   - take: is given the descriptor, where in the file the bytes are and how many; says how many it has taken.
    /// - Returns: how many; 0 also at the end.
    package func transfer(
        _ most: Int, _ take: (_ descriptor: Int32, _ offset: Int64, _ count: Int) throws -> Int
    ) throws -> Int {
        try state.withLock { state in
            defer { if isCancelled.load(ordering: .relaxed) { state.closeFile() } }
            if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
            let wanted = min(Int64(most), state.remaining)
            guard wanted > 0 else { return 0 }
            let count = try take(state.descriptor, state.offset, Int(wanted))
            state.offset += Int64(count)
            state.remaining -= Int64(count)
            return count
        }
    }

    package func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        // A read that is under way holds the lock for as long as the disk takes. It closes the file itself when it is
        // done.
        state.withLockIfAvailable { $0.closeFile() }
    }

    /// The size of a regular file; `nil` when it is not there or is something else.
    static func size(ofFileAt path: String) -> Int64? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    private static func failure(_ verb: String) -> NetworkClientError {
        NetworkClientError(.uploadFailed, "the file could not be \(verb): \(String(cString: strerror(errno)))")
    }
}
