// SPDX-License-Identifier: Apache-2.0

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

/// A lock among processes, and among those of one process that open the file by themselves (`flock`).
///
/// The file stays when the lock is released: if it were removed, two could hold a lock of two files with one name.
package struct FileLock: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Asks again and again, because a thread that waits for the system would be one of the few that carry all tasks.
    ///
    /// - Throws: a `POSIXError`; `CancellationError`.
    package static func acquire(_ path: String, within limit: Duration) async throws -> FileLock {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure }
        let clock = SystemClock()
        let end = clock.now + limit
        do {
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                guard errno == EWOULDBLOCK || errno == EINTR else { throw failure }
                guard clock.now < end else { throw POSIXError(.ETIMEDOUT) }
                try await clock.sleep(for: .milliseconds(10))
            }
        } catch {
            close(descriptor)
            throw error
        }
        return FileLock(descriptor)
    }

    /// Closing the only descriptor gives the lock up.
    package func release() { close(descriptor) }

    private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
