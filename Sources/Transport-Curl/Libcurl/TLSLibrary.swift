// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport

/// What is asked of OpenSSL about a connection, because libcurl does not tell. `nil` where libcurl has another library, or
/// where there may be several of them.
enum TLSLibrary {
    /// `SSL_pending`: how many bytes have been decrypted that nobody has read.
    static let pending: (@convention(c) (UnsafeRawPointer?) -> Int32)? = symbol("SSL_pending").map {
        unsafeBitCast($0, to: (@convention(c) (UnsafeRawPointer?) -> Int32).self)
    }

    typealias SelectedProtocol =
        @convention(c) (
            UnsafeRawPointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt32>?
        ) -> Void

    /// `SSL_get0_alpn_selected`: which protocol ALPN has chosen (RFC 7301).
    static let selectedProtocol: SelectedProtocol? = symbol("SSL_get0_alpn_selected").map {
        unsafeBitCast($0, to: SelectedProtocol.self)
    }

    /// Whether the peer has said that it sends nothing more, and has not just closed (RFC 8446 §6.1).
    ///
    /// - Parameter session: OpenSSL's object of the connection.
    static func isEndedByPeer(_ session: UnsafeMutableRawPointer) -> Bool? {
        let received: Int32 = 2  // SSL_RECEIVED_SHUTDOWN
        return shutdownState.map { $0(session) & received != 0 }
    }

    /// `SSL_get_shutdown`.
    private static let shutdownState: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)? = symbol("SSL_get_shutdown")
        .map {
            unsafeBitCast($0, to: (@convention(c) (UnsafeMutableRawPointer?) -> Int32).self)
        }

    static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
        #if os(Linux)
        librarySymbol(name, in: [])
        #else
        // Where each library has its own, this may be the function of another one than libcurl's.
        nil
        #endif
    }
}
