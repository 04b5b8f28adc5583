// SPDX-License-Identifier: Apache-2.0

import StrataCore

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

/// Bytes that wait on disk instead of in memory: first in, first out.
///
/// The file has no name (it is unlinked as soon as it is open) and nobody else may read it; it is gone with its last
/// descriptor, also when the process dies.
struct SpillFile: ~Copyable {
    private let descriptor: Int32
    private var readOffset: off_t = 0
    private var writeOffset: off_t = 0

    /// - Throws: ``NetworkClientError`` with `internalFailure` when there is no place for it.
    init() throws {
        let directory = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        var template = Array("\(directory)/strata.XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw Self.failure("created") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
    }

    deinit { close(descriptor) }

    var isEmpty: Bool { readOffset == writeOffset }

    mutating func append(_ data: Data) throws {
        var written = 0
        while written < data.count {
            let count = data.withUnsafeBytes { bytes in
                pwrite(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written, writeOffset)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("written") }
            written += count
            writeOffset += off_t(count)
        }
    }

    /// The next bytes, at most `limit`; `nil` when there are none. A file that was read to its end gives its space back.
    mutating func next(upTo limit: Int) throws -> Data? {
        guard !isEmpty else { return nil }
        var piece = Data(count: Int(min(writeOffset - readOffset, off_t(limit))))
        let count = piece.withUnsafeMutableBytes { bytes in
            var count: Int
            repeat {
                count = pread(descriptor, bytes.baseAddress, bytes.count, readOffset)
            } while count < 0 && errno == EINTR
            return count
        }
        guard count > 0 else { throw Self.failure("read") }
        readOffset += off_t(count)
        if isEmpty {
            ftruncate(descriptor, 0)
            readOffset = 0
            writeOffset = 0
        }
        return count == piece.count ? piece : piece.prefix(count)
    }

    private static func failure(_ verb: String) -> NetworkClientError {
        NetworkClientError(
            .internalFailure,
            "a body that arrives faster than it is read waits in a temporary file, and that could not be \(verb): "
                + String(cString: strerror(errno)))
    }
}
