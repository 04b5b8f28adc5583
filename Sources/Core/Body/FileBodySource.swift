// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A part of a file, read in pieces of 64 KiB, so that memory stays bounded whatever the size.
final class FileBodySource: BodySource {
    private struct State {
        var descriptor: Int32
        var offset: Int64
        var remaining: Int64
    }

    private static let pieceSize = 64 * 1024
    private let state: Mutex<State>

    /// - Throws: ``NetworkClientError/Code-swift.struct/uploadFailed`` when the file cannot be opened.
    init(path: String, offset: Int64, length: Int64) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("opened") }
        state = Mutex(State(descriptor: descriptor, offset: offset, remaining: length))
    }

    deinit { cancel() }

    func next() throws -> Data? {
        try state.withLock { state in
            guard state.descriptor >= 0 else { throw CancellationError() }
            guard state.remaining > 0 else { return nil }
            var piece = Data(count: Int(min(Int64(Self.pieceSize), state.remaining)))
            let (descriptor, offset) = (state.descriptor, state.offset)
            let count = piece.withUnsafeMutableBytes { bytes in
                var count: Int
                repeat {
                    count = pread(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
                } while count < 0 && errno == EINTR
                return count
            }
            guard count >= 0 else { throw Self.failure("read") }
            guard count > 0 else {
                throw NetworkClientError(.uploadFailed, "the file became shorter while it was sent")
            }
            state.offset += Int64(count)
            state.remaining -= Int64(count)
            return count == piece.count ? piece : piece.prefix(count)
        }
    }

    func cancel() {
        state.withLock { state in
            if state.descriptor >= 0 { close(state.descriptor) }
            state.descriptor = -1
        }
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
