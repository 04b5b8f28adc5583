// SPDX-License-Identifier: Apache-2.0

package import StrataCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file with the secrets of TLS connections, in the format of `SSLKEYLOGFILE` (draft-ietf-tls-keylogfile).
package final class KeyLogFile: Sendable {
    private let descriptor: Int32

    /// Lines are appended to what is there. The file gets the mode 0600.
    ///
    /// - Throws: ``NetworkClientError`` with `fileFailed`.
    package init(_ path: String) throws(NetworkClientError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(errno) }
        // Also when the file was there before.
        guard fchmod(descriptor, 0o600) == 0 else {
            let reason = errno
            close(descriptor)
            throw Self.failure(reason)
        }
    }

    deinit { close(descriptor) }

    /// - Parameter line: without its end. It is written in one call, since several threads write.
    package func write(_ line: String) {
        var line = line + "\n"
        line.withUTF8 { bytes in
            #if canImport(Darwin)
            _ = Darwin.write(descriptor, bytes.baseAddress, bytes.count)
            #elseif canImport(Glibc)
            _ = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            #elseif canImport(Musl)
            _ = Musl.write(descriptor, bytes.baseAddress, bytes.count)
            #endif
        }
    }

    private static func failure(_ reason: Int32) -> NetworkClientError {
        NetworkClientError(.fileFailed, "the key log cannot be written: \(String(cString: strerror(reason)))")
    }
}
