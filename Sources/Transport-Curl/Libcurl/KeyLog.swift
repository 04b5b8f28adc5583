// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import StrataCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file with the secrets of TLS connections, in the format of `SSLKEYLOGFILE` (draft-ietf-tls-keylogfile).
final class KeyLog: Sendable {
    private typealias Pointer = UnsafeMutableRawPointer

    /// What of OpenSSL it takes.
    private struct Library: Sendable {
        let watch: @convention(c) (Pointer?, @convention(c) (Pointer?, UnsafePointer<CChar>?) -> Void) -> Void
        let context: @convention(c) (Pointer?) -> Pointer?
        let setData: @convention(c) (Pointer?, Int32, Pointer?) -> Int32
        let data: @convention(c) (Pointer?, Int32) -> Pointer?

        static let current: Library? = {
            guard let watch = TLSLibrary.symbol("SSL_CTX_set_keylog_callback"),
                let context = TLSLibrary.symbol("SSL_get_SSL_CTX"),
                let setData = TLSLibrary.symbol("SSL_CTX_set_ex_data"),
                let data = TLSLibrary.symbol("SSL_CTX_get_ex_data")
            else { return nil }
            return Library(
                watch: unsafeBitCast(
                    watch,
                    to: (@convention(c) (Pointer?, @convention(c) (Pointer?, UnsafePointer<CChar>?) -> Void) -> Void)
                        .self),
                context: unsafeBitCast(context, to: (@convention(c) (Pointer?) -> Pointer?).self),
                setData: unsafeBitCast(setData, to: (@convention(c) (Pointer?, Int32, Pointer?) -> Int32).self),
                data: unsafeBitCast(data, to: (@convention(c) (Pointer?, Int32) -> Pointer?).self))
        }()
    }

    private let descriptor: Int32

    /// - Throws: `unsupportedByTransport` without OpenSSL; `fileFailed`.
    init(_ path: String) throws(NetworkClientError) {
        guard Library.current != nil else {
            throw NetworkClientError(.unsupportedByTransport, "a key log needs a libcurl with OpenSSL, on Linux")
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        // Also when the file was there before.
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else {
            throw NetworkClientError(.fileFailed, "the key log cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// For a context of libcurl's, which the options outlive, and with them the log.
    var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The place in a context that OpenSSL leaves to applications.
    private static let place: Int32 = 0

    static func watch(_ context: UnsafeMutableRawPointer, for log: UnsafeMutableRawPointer) {
        guard let library = Library.current else { return }
        _ = library.setData(context, place, log)
        library.watch(context) { session, line in
            guard let line, let library = Library.current,
                let log = library.data(library.context(session), KeyLog.place)
            else { return }
            Unmanaged<KeyLog>.fromOpaque(log)._withUnsafeGuaranteedRef { $0.write(String(cString: line) + "\n") }
        }
    }

    /// In one call, since several threads write.
    private func write(_ line: String) {
        var line = line
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
}

/// libcurl has made the TLS library's context for a connection.
let onTLSContext: curl_ssl_ctx_callback = { _, context, log in
    if let context, let log { KeyLog.watch(context, for: log) }
    return CURLE_OK
}
