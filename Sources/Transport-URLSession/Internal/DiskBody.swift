// SPDX-License-Identifier: Apache-2.0

import StrataCore
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

/// A request's body on disk, read without ever waiting for anybody: a file's part, or what a stream has produced.
final class DiskBody: Sendable {
    private struct State {
        var offset: Int64
        var remaining: Int64
    }

    private let descriptor: Int32
    private let state: Mutex<State>
    let length: Int64

    private init(descriptor: Int32, offset: Int64, length: Int64) {
        self.descriptor = descriptor
        self.length = length
        state = Mutex(State(offset: offset, remaining: length))
    }

    deinit { close(descriptor) }

    /// A part of a file.
    ///
    /// - Throws: ``NetworkClientError`` with `uploadFailed` when it cannot be opened.
    convenience init(path: String, offset: Int64, length: Int64) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw NetworkClientError(
                .uploadFailed, "the file could not be opened: \(String(cString: strerror(errno)))")
        }
        self.init(descriptor: descriptor, offset: offset, length: length)
    }

    /// Everything that `source` produces, in an unnamed temporary file.
    ///
    /// - Parameter onProgress: called for each piece.
    /// - Throws: what the source throws; ``NetworkClientError`` with `uploadFailed` when it produces more or less than
    ///   `expectedLength`, and with `internalFailure` when there is no room. The source is cancelled then.
    static func spool(
        _ source: any BodySource, expectedLength: Int64?, onProgress: () -> Void
    ) async throws -> DiskBody {
        do {
            let file = try TemporaryFile()
            var length: Int64 = 0
            while let piece = try await source.next() {
                try file.write(piece, at: length)
                length += Int64(piece.count)
                if let expectedLength, length > expectedLength { throw UploadLengthError.longer }
                onProgress()
            }
            if let expectedLength, length < expectedLength { throw UploadLengthError.shorter }
            return DiskBody(descriptor: file.takeDescriptor(), offset: 0, length: length)
        } catch {
            source.cancel()
            throw error
        }
    }

    /// The next bytes.
    ///
    /// - Returns: how many; 0 at the end.
    /// - Throws: ``NetworkClientError`` with `uploadFailed` when the file cannot be read, or became shorter.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try state.withLock { state in
            let wanted = min(Int64(buffer.count), state.remaining)
            guard wanted > 0 else { return 0 }
            var count: Int
            repeat {
                count = pread(descriptor, buffer.baseAddress, Int(wanted), off_t(state.offset))
            } while count < 0 && errno == EINTR
            guard count > 0 else {
                let reason = count < 0 ? String(cString: strerror(errno)) : "it became shorter while it was sent"
                throw NetworkClientError(.uploadFailed, "the request's body could not be read: \(reason)")
            }
            state.offset += Int64(count)
            state.remaining -= Int64(count)
            return count
        }
    }
}

/// A stream that does not keep to its announced length.
enum UploadLengthError {
    static let longer = NetworkClientError(
        .uploadFailed, "the request's body was longer than its announced length")
    static let shorter = NetworkClientError(
        .uploadFailed, "the request's body was shorter than its announced length")
}
