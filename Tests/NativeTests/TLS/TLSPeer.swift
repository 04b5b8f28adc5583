// SPDX-License-Identifier: Apache-2.0

import CStrataOpenSSL
import Foundation
import StrataCore
import StrataTransportSupport
import Testing

@testable import StrataNative

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// OpenSSL as a server at the other end of a pair of sockets. Client and server take turns on one thread; nothing waits.
final class TLSPeer {
    struct Options {
        var certificate = TestCertificates.server
        var key = TestCertificates.serverKey
        var lowest: Int32 = TLS1_2_VERSION
        var highest: Int32 = 0
        /// Whether it wants to see a certificate of the client's.
        var wantsCertificate = false
        /// What it chooses by ALPN.
        var chooses: [UInt8]?
        /// For sessions that a peer before this one has given out.
        var ticketsOf: TLSPeer?
    }

    let clientSocket: Int32
    private let serverSocket: Int32
    private let context: OpaquePointer
    private let session: OpaquePointer
    private let choice: UnsafeMutablePointer<[UInt8]>

    /// - Parameter outer: the session that this one goes through, as behind a proxy.
    init(_ options: Options = Options(), over outer: TLSPeer? = nil) throws {
        var sockets: [Int32] = [0, 0]
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        try #require(socketpair(AF_UNIX, kind, 0, &sockets) == 0)
        for socket in sockets { _ = fcntl(socket, F_SETFL, O_NONBLOCK) }
        (clientSocket, serverSocket) = (sockets[0], sockets[1])
        choice = .allocate(capacity: 1)
        choice.initialize(to: options.chooses ?? [])
        let context: OpaquePointer
        if let other = options.ticketsOf {
            SSL_CTX_up_ref(other.context)
            context = other.context
        } else {
            context = try #require(SSL_CTX_new(TLS_server_method()))
            strata_ssl_set_versions(context, options.lowest, options.highest)
            // Else OpenSSL offers nothing older than TLS 1.2.
            if options.lowest < TLS1_2_VERSION { SSL_CTX_set_security_level(context, 0) }
            SSL_CTX_set_session_id_context(context, [1], 1)
            try Self.use(options, context)
        }
        self.context = context
        session = try #require(SSL_new(context))
        let bio =
            if let outer {
                try #require(TLSContext.tunnelMethod.flatMap { strata_tls_bio($0, outer.session) })
            } else {
                try #require(TLSContext.socketMethod.flatMap { strata_socket_bio($0, serverSocket) })
            }
        SSL_set_bio(session, bio, bio)
        SSL_set_accept_state(session)
        if options.chooses != nil {
            SSL_CTX_set_alpn_select_cb(
                context,
                { _, chosen, count, _, _, choice in
                    guard let bytes = choice?.assumingMemoryBound(to: [UInt8].self) else { return SSL_TLSEXT_ERR_NOACK }
                    bytes.pointee.withUnsafeBufferPointer { chosen?.pointee = $0.baseAddress }
                    count?.pointee = UInt8(bytes.pointee.count)
                    return SSL_TLSEXT_ERR_OK
                }, choice)
        }
    }

    private static func use(_ options: Options, _ context: OpaquePointer) throws {
        _ = try PEM(Data(options.certificate.utf8)).certificates { SSL_CTX_use_certificate(context, $0) == 1 }
        let key = try #require(PEM(Data(options.key.utf8)).privateKey(password: nil))
        SSL_CTX_use_PrivateKey(context, key)
        EVP_PKEY_free(key)
        guard options.wantsCertificate else { return }
        _ = try PEM(Data(TestCertificates.authority.utf8)).certificates {
            X509_STORE_add_cert(SSL_CTX_get_cert_store(context), $0) == 1
        }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }

    deinit {
        SSL_free(session)
        SSL_CTX_free(context)
        close(clientSocket)
        closeSocket()
        choice.deinitialize(count: 1)
        choice.deallocate()
    }

    private var isSocketOpen = true

    // MARK: - What it does

    /// Has both go on until the client is done or fails.
    func shakeHands(with client: TLSSession) -> TLSSession.Handshake {
        for _ in 0..<20 {
            let result = client.shakeHands()
            SSL_do_handshake(session)
            ERR_clear_error()
            switch result {
            case .wantsRead, .wantsWrite: continue
            case .done, .failed: return result
            }
        }
        Issue.record("the handshake goes on for ever")
        return .wantsRead
    }

    func write(_ text: String) {
        SSL_write(session, text, Int32(text.utf8.count))
        ERR_clear_error()
    }

    func read(_ most: Int = 65_536) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = SSL_read(session, &bytes, Int32(most))
        ERR_clear_error()
        return Array(bytes.prefix(Int(max(0, count))))
    }

    func sayGoodbye() { SSL_shutdown(session) }

    /// Without a word.
    func closeSocket() {
        if isSocketOpen { close(serverSocket) }
        isSocketOpen = false
    }

    /// Bytes that are no TLS.
    func writePlain(_ text: String) { _ = send(serverSocket, text, text.utf8.count, 0) }

    func sendAlert(_ bytes: [UInt8]) { _ = send(serverSocket, bytes, bytes.count, 0) }

    /// What the client has said about its name (RFC 6066 §3).
    var serverName: String? {
        SSL_get_servername(session, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }

    var clientHasCertificate: Bool { SSL_get0_peer_certificate(session) != nil }
    var hasSeenGoodbye: Bool { SSL_get_shutdown(session) & SSL_RECEIVED_SHUTDOWN != 0 }
}

extension TLSSettings {
    /// Trusts the tests' authority.
    static var test: TLSSettings {
        var settings = TLSSettings()
        settings.trust = .pem(Data(TestCertificates.authority.utf8))
        return settings
    }
}

extension TLSSession.Handshake {
    var isDone: Bool { if case .done = self { true } else { false } }
    var error: NetworkClientError? { if case .failed(let error) = self { error } else { nil } }
}

extension TLSSession {
    /// What there is to read, as text, up to what ended it.
    func text() -> (text: String, end: IOResult) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let result = buffer.withUnsafeMutableBytes { receive(into: $0) }
            guard case .bytes(let count) = result else { return (String(decoding: bytes, as: UTF8.self), result) }
            bytes += buffer[..<count]
        }
    }

    func send(_ text: String) -> IOResult { Array(text.utf8).withUnsafeBytes { send($0) } }
}
