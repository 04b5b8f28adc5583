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

/// A file without a name: unlinked as soon as it is open, readable by nobody else, and gone with its last descriptor,
/// also when the process dies.
struct TemporaryFile: ~Copyable {
    private let descriptor: Int32

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

    /// The descriptor, which the caller closes from now on.
    consuming func takeDescriptor() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    func write(_ data: Data, at offset: Int64) throws {
        var written = 0
        while written < data.count {
            let count = data.withUnsafeBytes { bytes in
                pwrite(
                    descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written,
                    off_t(offset) + off_t(written))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("written") }
            written += count
        }
    }

    /// The bytes at `offset`, fewer than `count` when the file ends before.
    func read(_ count: Int, at offset: Int64) throws -> Data {
        var piece = Data(count: count)
        let result = piece.withUnsafeMutableBytes { bytes in
            var result: Int
            repeat {
                result = pread(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
            } while result < 0 && errno == EINTR
            return result
        }
        guard result >= 0 else { throw Self.failure("read") }
        return result == count ? piece : piece.prefix(result)
    }

    /// Gives the space back.
    func removeContents() {
        ftruncate(descriptor, 0)
    }

    private static func failure(_ verb: String) -> NetworkClientError {
        NetworkClientError(
            .internalFailure,
            "a body waits in a temporary file, and that could not be \(verb): \(String(cString: strerror(errno)))")
    }
}
