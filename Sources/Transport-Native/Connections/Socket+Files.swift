// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension Socket {
    /// What is read at once where the system sends no files by itself.
    private static let pieceSize = 64 * 1024

    /// Sends the next bytes of a file.
    ///
    /// - Returns: `failed` with `uploadFailed` when the file is what fails.
    func send(_ file: FileBodySource, most: Int) -> IOResult {
        var result = IOResult.wantsWrite
        do {
            _ = try file.transfer(most) { source, offset, count in
                result = send(source, offset, count)
                return result.count
            }
        } catch {
            let failure = error as? NetworkClientError
            return .failed(
                failure ?? NetworkClientError(.uploadFailed, "the file was closed while it was sent", cause: error))
        }
        return result
    }

    private func send(_ source: Int32, _ offset: Int64, _ count: Int) -> IOResult {
        #if os(Linux)
        var place = off_t(offset)
        var code: Int32 = 0
        let sent = withoutBrokenPipes {
            var sent: Int
            repeat { sent = sendfile(descriptor, source, &place, count) } while sent < 0 && errno == EINTR
            code = errno
            return sent
        }
        if sent > 0 { return .bytes(sent) }
        if sent == 0 { return .failed(FileBodySource.shorter) }
        switch code {
        case EAGAIN: return .wantsWrite
        // Of a file system that has no pages to send.
        case EINVAL, ENOSYS: return sendCopy(source, offset, count)
        case EIO: return .failed(Self.unreadable(code))
        default: return .failed(.lost(SystemError(code)))
        }
        #else
        return sendCopy(source, offset, count)
        #endif
    }

    private func sendCopy(_ source: Int32, _ offset: Int64, _ count: Int) -> IOResult {
        withUnsafeTemporaryAllocation(byteCount: min(count, Self.pieceSize), alignment: 16) { buffer in
            let read = pread(source, buffer.baseAddress, buffer.count, off_t(offset))
            if read < 0 { return .failed(Self.unreadable(errno)) }
            if read == 0 { return .failed(FileBodySource.shorter) }
            // What the socket does not take is read again.
            return send(UnsafeRawBufferPointer(rebasing: buffer[..<read]))
        }
    }

    private static func unreadable(_ code: Int32) -> NetworkClientError {
        let error = SystemError(code)
        return NetworkClientError(.uploadFailed, "the file could not be read: \(error.text)", cause: error)
    }

    #if os(Linux)
    /// `sendfile` has no `MSG_NOSIGNAL`: the signal of a connection that is gone is held back from this thread, and dropped.
    private func withoutBrokenPipes(_ send: () -> Int) -> Int {
        var signals = sigset_t()
        var before = sigset_t()
        var pending = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        sigpending(&pending)
        // One that waits already is somebody else's.
        let isPending = sigismember(&pending, SIGPIPE) == 1
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        let sent = send()
        if sent < 0, !isPending {
            var none = timespec()
            while sigtimedwait(&signals, nil, &none) < 0, errno == EINTR {}
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return sent
    }
    #endif
}
