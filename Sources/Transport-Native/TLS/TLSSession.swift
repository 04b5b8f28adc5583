// SPDX-License-Identifier: Apache-2.0

import CStrataOpenSSL
import StrataCore
import StrataTransportSupport

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

/// TLS on one connection whose socket does not block. Nothing here waits. One thread at a time may use it.
final class TLSSession {
    enum Handshake {
        case done, wantsRead, wantsWrite
        case failed(NetworkClientError)
    }

    private enum State {
        case shakingHands, open, broken
    }

    private let session: OpaquePointer
    private let context: TLSContext
    /// The session with a proxy, when this one goes through its tunnel.
    let outer: TLSSession?
    /// Host and port.
    private let server: String
    private var state = State.shakingHands
    /// Whether nothing can be had from what has come of a record.
    private var isDrained = false

    /// - Parameters:
    ///   - host: as in URLs, an IPv6 address without its brackets. The certificate has to be for it.
    ///   - descriptor: the socket's, which stays the caller's and has to outlive this.
    ///   - outer: the session that this one goes through, instead of going to the socket by itself.
    ///   - protocols: what is offered by ALPN (RFC 7301).
    init(
        _ context: TLSContext, host: String, port: UInt16, descriptor: Int32, over outer: TLSSession? = nil,
        protocols: [String] = ["http/1.1"]
    ) throws(NetworkClientError) {
        guard let session = SSL_new(context.context) else { throw Self.noConnection }
        guard let socket = Self.way(to: descriptor, over: outer) else {
            SSL_free(session)
            throw Self.noConnection
        }
        self.session = session
        self.context = context
        self.outer = outer
        server = "\(host):\(port)"
        // Takes the one reference for both directions.
        SSL_set_bio(session, socket, socket)
        SSL_set_connect_state(session)
        SSL_set_ex_data(session, 0, Unmanaged.passUnretained(self).toOpaque())
        let names = protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
        SSL_set_alpn_protos(session, names, UInt32(names.count))
        try expect(host)
        context.sessions.resume(session, to: server)
    }

    private static let noConnection = NetworkClientError(.internalFailure, "OpenSSL makes no connection")

    private static func way(to descriptor: Int32, over outer: TLSSession?) -> OpaquePointer? {
        if let outer { return TLSContext.tunnelMethod.flatMap { strata_tls_bio($0, outer.session) } }
        return TLSContext.socketMethod.flatMap { strata_socket_bio($0, descriptor) }
    }

    deinit {
        // Else OpenSSL takes the session for one that must not be resumed.
        if state == .open { SSL_set_shutdown(session, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        SSL_free(session)
    }

    /// Names the server, and has its certificate checked for the name (RFC 9110 §4.3.4, RFC 9525 §6).
    private func expect(_ host: String) throws(NetworkClientError) {
        let name = String(host.hasSuffix(".") ? host.dropLast() : host[...])
        let parameters = SSL_get0_param(session)
        // The zone of an address means something on this host alone. An address is named to no server (RFC 6066 §3).
        let address = name.contains(":") ? String(name.prefix { $0 != "%" }) : name
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, address) == 1 { return }
        ERR_clear_error()
        X509_VERIFY_PARAM_set_hostflags(
            parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        guard X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1,
            strata_ssl_set_server_name(session, name) == 1
        else {
            throw TLSContext.unusable("the host's name cannot be one in a certificate")
        }
    }

    // MARK: - The handshake

    /// Goes on with the handshake, as far as it gets.
    func shakeHands() -> Handshake {
        if state == .open { return .done }
        forgetOldErrors()
        let result = SSL_do_handshake(session)
        let code = errno
        if result == 1 { return checkPins() }
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case let kind: return .failed(broke(handshakeError(kind, code)))
        }
    }

    private func handshakeError(_ kind: Int32, _ code: Int32) -> NetworkClientError {
        let verification = SSL_get_verify_result(session)
        if let noted = TLSError.noted() {
            let isRefusal = Int32(truncatingIfNeeded: verification) != X509_V_OK && noted.reason == .other
            return .tls(isRefusal ? TLSError(verification: verification) : noted)
        }
        let detail = kind == SSL_ERROR_SYSCALL && code != 0 ? String(cString: strerror(code)) : "unexpected end"
        return .tls(TLSError(reason: .connectionLost, detail: detail))
    }

    /// In addition to the verification, and before anything of the request is sent.
    private func checkPins() -> Handshake {
        state = .open
        guard !context.pins.isEmpty else { return .done }
        let hash = SSL_get0_peer_certificate(session).flatMap(Self.hashOfKey)
        if let hash, context.pins.contains(where: { $0.hash == hash }) { return .done }
        close()
        return .failed(
            broke(.tls(TLSError(reason: .pinMismatch, detail: "the server's public key is none of the pinned ones"))))
    }

    /// SHA-256 of a certificate's SubjectPublicKeyInfo.
    private static func hashOfKey(_ certificate: OpaquePointer) -> Data? {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, #fileID, #line) }
        var hash = Data(count: 32)
        let isDone = hash.withUnsafeMutableBytes { target in
            EVP_Digest(encoded, Int(count), target.bindMemory(to: UInt8.self).baseAddress, nil, EVP_sha256(), nil) == 1
        }
        return isDone ? hash : nil
    }

    private func broke(_ error: NetworkClientError) -> NetworkClientError {
        state = .broken
        context.sessions.forget(server)
        return error
    }

    // MARK: - Bytes

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
        guard !buffer.isEmpty else { return .bytes(0) }
        forgetOldErrors()
        let count = SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count))
        let code = errno
        isDrained = count <= 0
        return count > 0 ? .bytes(Int(count)) : outcome(count, code)
    }

    /// - Returns: how many of the bytes are under way, which may be less than all. The rest may be sent from other memory.
    func send(_ bytes: UnsafeRawBufferPointer) -> IOResult {
        guard !bytes.isEmpty else { return .bytes(0) }
        forgetOldErrors()
        let count = SSL_write(session, bytes.baseAddress, Int32(clamping: bytes.count))
        let code = errno
        guard count <= 0 else { return .bytes(Int(count)) }
        let outcome = outcome(count, code)
        // Whoever writes has not lost what can still be read.
        if case .cutOff(let error) = outcome { return .failed(error) }
        return outcome
    }

    /// Whether bytes are there that the socket does not tell of.
    var hasPending: Bool { !isDrained && (SSL_has_pending(session) == 1 || outer?.hasPending == true) }

    private func outcome(_ result: Int32, _ code: Int32) -> IOResult {
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .end
        case SSL_ERROR_SYSCALL:
            ERR_clear_error()
            let reason = code == 0 ? "the connection ended without close_notify" : String(cString: strerror(code))
            return .cutOff(NetworkClientError(.connectionLost, "the connection was lost: \(reason)"))
        default: return .failure(of: TLSError.noted())
        }
    }

    /// Says that nothing more is sent (RFC 8446 §6.1), and does not wait for the peer to say the same.
    func close() {
        guard state == .open else { return }
        forgetOldErrors()
        _ = SSL_shutdown(session)
        ERR_clear_error()
    }

    /// OpenSSL judges a result by what is noted on the thread, where others of its users may have left something.
    private func forgetOldErrors() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    // MARK: - What was agreed upon

    /// Such as `TLSv1.3`.
    var version: String { SSL_get_version(session).map { String(cString: $0) } ?? "" }

    var isResumed: Bool { SSL_session_reused(session) == 1 }

    /// By ALPN; `nil` when the server has chosen none.
    var chosenProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(session, &name, &count)
        guard let name, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// Keeps a ticket, if it is any good: OpenSSL hands it out while it reads.
    func keep(_ ticket: OpaquePointer) -> Bool {
        guard state != .broken, SSL_SESSION_is_resumable(ticket) == 1 else { return false }
        context.sessions.keep(ticket, of: server)
        return true
    }
}

extension IOResult {
    /// What ended the connection, beneath HTTP and above the system.
    fileprivate static func failure(of error: TLSError?) -> IOResult {
        switch error?.reason {
        case .connectionLost:
            return .cutOff(
                NetworkClientError(.connectionLost, "the connection ended without close_notify", cause: error))
        case .alert, .protocolVersion:
            // In TLS 1.3 the server refuses a client's certificate after the handshake.
            return .failed(error.map { .tls($0) } ?? NetworkClientError(.tlsFailed, "TLS failed"))
        default:
            let detail = error.map { ": \($0.detail)" } ?? ""
            return .failed(
                NetworkClientError(.connectionLost, "TLS failed on an open connection\(detail)", cause: error))
        }
    }
}
