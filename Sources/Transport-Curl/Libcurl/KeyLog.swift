// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import StrataCore
import StrataTransportSupport

/// Has OpenSSL write the secrets of libcurl's connections to a file.
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

    private let file: KeyLogFile

    /// - Throws: `unsupportedByTransport` without OpenSSL; `fileFailed`.
    init(_ path: String) throws(NetworkClientError) {
        guard Library.current != nil else {
            throw NetworkClientError(.unsupportedByTransport, "a key log needs a libcurl with OpenSSL, on Linux")
        }
        file = try KeyLogFile(path)
    }

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
            Unmanaged<KeyLog>.fromOpaque(log)._withUnsafeGuaranteedRef { $0.file.write(String(cString: line)) }
        }
    }
}

/// libcurl has made the TLS library's context for a connection.
let onTLSContext: curl_ssl_ctx_callback = { _, context, log in
    if let context, let log { KeyLog.watch(context, for: log) }
    return CURLE_OK
}
