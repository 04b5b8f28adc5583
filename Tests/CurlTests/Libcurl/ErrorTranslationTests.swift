// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import StrataCore
import StrataTransportSupport
import Testing

@testable import StrataCurl

struct ErrorTranslationTests {
    /// Codes that only other protocols, or calls that we do not make, can bring.
    private static let foreign: Set<UInt32> = {
        let codes: [CURLcode] = [
            CURLE_OK, CURLE_FAILED_INIT, CURLE_REMOTE_ACCESS_DENIED, CURLE_FTP_ACCEPT_FAILED,
            CURLE_FTP_WEIRD_PASS_REPLY,
            CURLE_FTP_ACCEPT_TIMEOUT, CURLE_FTP_WEIRD_PASV_REPLY, CURLE_FTP_WEIRD_227_FORMAT, CURLE_FTP_CANT_GET_HOST,
            CURLE_FTP_COULDNT_SET_TYPE, CURLE_FTP_COULDNT_RETR_FILE, CURLE_QUOTE_ERROR, CURLE_HTTP_RETURNED_ERROR,
            CURLE_WRITE_ERROR, CURLE_OUT_OF_MEMORY, CURLE_FTP_PORT_FAILED, CURLE_FTP_COULDNT_USE_REST,
            CURLE_BAD_DOWNLOAD_RESUME, CURLE_LDAP_CANNOT_BIND, CURLE_LDAP_SEARCH_FAILED,
            CURLE_ABORTED_BY_CALLBACK, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_SETOPT_OPTION_SYNTAX, CURLE_REMOTE_DISK_FULL,
            CURLE_TFTP_NOTFOUND, CURLE_TFTP_PERM, CURLE_TFTP_ILLEGAL, CURLE_TFTP_UNKNOWNID, CURLE_REMOTE_FILE_EXISTS,
            CURLE_TFTP_NOSUCHUSER, CURLE_REMOTE_FILE_NOT_FOUND, CURLE_SSH, CURLE_FTP_PRET_FAILED, CURLE_RTSP_CSEQ_ERROR,
            CURLE_RTSP_SESSION_ERROR, CURLE_FTP_BAD_FILE_LIST, CURLE_CHUNK_FAILED, CURLE_RECURSIVE_API_CALL,
            // CURLE_UNRECOVERABLE_POLL, since 7.84.
            CURLcode(rawValue: 99),
        ]
        return Set(codes.map(\.rawValue))
    }()

    /// Numbers that libcurl keeps free ("Obsolete error", "Not used").
    private static let unused: Set<UInt32> = [20, 24, 29, 32, 34, 40, 41, 44, 46, 50, 51, 57, 62, 70, 75, 76]

    /// CURLE_ECH_REQUIRED, the last one of 8.23.
    private static let newest: UInt32 = 101

    @Test func givesEveryCodeAStage() {
        for number in 1...Self.newest {
            let error = NetworkClientError(CURLcode(rawValue: number), FailureContext())
            #expect(error.cause as? CurlError == CurlError(code: Int(number)))
            #expect(!error.message.isEmpty)
            if Self.foreign.contains(number) || Self.unused.contains(number) { continue }
            #expect(error.code != .internalFailure, "curl \(number) has no stage")
        }
    }

    @Test(arguments: [
        (CURLE_COULDNT_RESOLVE_HOST, NetworkClientError.Code.dnsFailed), (CURLE_COULDNT_CONNECT, .cannotConnect),
        (CURLE_PEER_FAILED_VERIFICATION, .tlsFailed), (CURLE_SSL_CONNECT_ERROR, .tlsFailed),
        (CURLE_PROXY, .proxyFailed),
        (CURLE_GOT_NOTHING, .connectionLost), (CURLE_PARTIAL_FILE, .connectionLost),
        (CURLE_SEND_ERROR, .connectionLost),
        (CURLE_WEIRD_SERVER_REPLY, .protocolViolation), (CURLE_URL_MALFORMAT, .malformedURL),
        (CURLE_UNSUPPORTED_PROTOCOL, .unsupportedByTransport), (CURLE_BAD_CONTENT_ENCODING, .protocolViolation),
        (CURLcode(rawValue: 101), .tlsFailed),
    ])
    func namesTheStage(_ curl: CURLcode, _ code: NetworkClientError.Code) {
        #expect(NetworkClientError(curl, FailureContext()).code == code)
    }

    @Test func takesLibcurlsTimerForTheConnection() {
        let error = NetworkClientError(CURLE_OPERATION_TIMEDOUT, FailureContext(connectTimeout: .seconds(3)))
        #expect(error.code == .timedOut)
        #expect(error.timeout == .connect)
    }

    @Test func tellsFailuresToReceiveApartByTheSentence() {
        let broken = FailureContext(detail: "Illegal or missing hexadecimal sequence in chunked-encoding", isSent: true)
        #expect(NetworkClientError(CURLE_RECV_ERROR, broken).code == .protocolViolation)
        let proxy = FailureContext(detail: "CONNECT tunnel failed, response 407")
        for code in [CURLE_RECV_ERROR, CURLE_COULDNT_CONNECT] {
            #expect(NetworkClientError(code, proxy).code == .proxyFailed)
            #expect(!NetworkClientError(code, proxy).isUnprocessed)
        }
        let reset = FailureContext(detail: "Recv failure: Connection reset by peer", isSent: true)
        #expect(NetworkClientError(CURLE_RECV_ERROR, reset).code == .connectionLost)
    }

    @Test func takesAPathThatIsNoSocketForNoConnection() {
        let context = FailureContext(detail: "Unix socket path too long: '/tmp/s'")
        #expect(NetworkClientError(CURLE_COULDNT_RESOLVE_HOST, context).code == .cannotConnect)
    }

    @Test func tellsAnHTTP2StreamThatEndedFromOneThatBrokeTheRules() {
        let ended = FailureContext(detail: "HTTP/2 stream 1 was not closed cleanly before end of the underlying stream")
        #expect(NetworkClientError(CURLE_HTTP2_STREAM, ended).code == .connectionLost)
        let broke = FailureContext(detail: "HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)")
        #expect(NetworkClientError(CURLE_HTTP2_STREAM, broke).code == .protocolViolation)
    }

    @Test func takesAStreamThatEndedWithoutAWordForALostConnection() {
        #expect(NetworkClientError(CURLE_HTTP2, FailureContext(isSent: true)).code == .connectionLost)
        let unsendable = FailureContext(detail: "Send failure: Broken pipe", isSent: true)
        #expect(NetworkClientError(CURLE_HTTP2, unsendable).code == .connectionLost)
        let broke = FailureContext(detail: "nghttp2_session_mem_recv() failed: frame too large", isSent: true)
        #expect(NetworkClientError(CURLE_HTTP2, broke).code == .protocolViolation)
    }

    @Test func takesAnAnswerThatLibcurlCannotReadForAViolation() {
        let sent = FailureContext(isSent: true)
        #expect(NetworkClientError(CURLE_UNSUPPORTED_PROTOCOL, sent).code == .protocolViolation)
        #expect(NetworkClientError(CURLE_OUT_OF_MEMORY, sent).code == .protocolViolation)
        #expect(NetworkClientError(CURLE_OUT_OF_MEMORY, sent).message.contains("100 KiB"))
    }

    @Test func quotesNeitherURLNorFields() {
        let context = FailureContext(detail: "URL rejected: http://example.com/?token=hunter2", isSent: false)
        for number in [
            CURLE_URL_MALFORMAT, CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_ABORTED_BY_CALLBACK,
        ] {
            #expect(!NetworkClientError(number, context).description.contains("hunter2"))
        }
    }

    @Test func quotesNoProxy() {
        let context = FailureContext(detail: "Unsupported proxy syntax in 'http://ada:hunter2@[zz]'")
        let error = NetworkClientError(CURLE_COULDNT_RESOLVE_PROXY, context)
        #expect(error.code == .proxyFailed)
        #expect(!error.description.contains("hunter2"))
    }

    @Test func saysWhyACertificateWasRefused() {
        let context = FailureContext(detail: "SSL certificate problem: certificate has expired")
        #expect(NetworkClientError(CURLE_PEER_FAILED_VERIFICATION, context).message.contains("has expired"))
    }

    @Test func libcurlsTextStandsInTheMessageOnce() {
        let detail = "Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server"
        #expect(NetworkClientError(CURLE_COULDNT_CONNECT, FailureContext(detail: detail)).message == detail)
        let version = "OpenSSL: error:0A00010B:SSL routines::wrong version number"
        let error = NetworkClientError(CURLE_SSL_CONNECT_ERROR, FailureContext(detail: version))
        #expect(error.message.hasSuffix("\(version): the port may speak plain HTTP"))
    }

    @Test func describesItselfInLibcurlsWords() {
        #expect(CurlError(code: 7).description.hasPrefix("curl 7: "))
        #expect(CurlError(code: -1).description == "curl -1")
    }

    @Test func tellsAProxyThatIsNotThereFromAServer() throws {
        let detail = "Failed to connect to 127.0.0.1 port 3128 after 0 ms: Couldn't connect to server"
        let proxy = NetworkClientError(
            CURLE_COULDNT_CONNECT, FailureContext(detail: detail, proxy: try ProxyAddress("http://127.0.0.1:3128")))
        #expect(proxy.code == .proxyFailed)
        #expect(proxy.isUnprocessed)
        for other in ["", "http://127.0.0.1:31"] {
            let server = FailureContext(detail: detail, proxy: try ProxyAddress(other))
            #expect(NetworkClientError(CURLE_COULDNT_CONNECT, server).code == .cannotConnect)
        }
        // In the words of 8.21.
        let over = "Failed to connect to a.example:443 over proxy 127.0.0.1 after 0 ms"
        let later = FailureContext(detail: over, proxy: try ProxyAddress("http://127.0.0.1:3128"))
        #expect(NetworkClientError(CURLE_COULDNT_CONNECT, later).code == .proxyFailed)
        let beyond = FailureContext(detail: over, proxy: try ProxyAddress("http://127.0.0.2:3128"))
        #expect(NetworkClientError(CURLE_COULDNT_CONNECT, beyond).code == .cannotConnect)
        let lost = FailureContext(
            detail: "Could not resolve host: p.example", proxy: try ProxyAddress("socks5://p.example"))
        #expect(NetworkClientError(CURLE_COULDNT_RESOLVE_HOST, lost).code == .proxyFailed)
        #expect(!NetworkClientError(CURLE_PROXY, FailureContext()).isUnprocessed)
    }

    @Test(arguments: [
        "OpenSSL SSL_connect: Connection reset by peer in connection to a.example:443",
        "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to a.example:443",
        "TLS connect error: error:0A000126:SSL routines::unexpected eof while reading",
        "gnutls_handshake() failed: The TLS connection was non-properly terminated.",
    ])
    func aConnectionLostInTheHandshakeLeavesTheRequestUnprocessed(detail: String) {
        let error = NetworkClientError(CURLE_SSL_CONNECT_ERROR, FailureContext(detail: detail))
        #expect(error.code == .tlsFailed)
        #expect(error.isUnprocessed)
        let sent = FailureContext(detail: detail, isSent: true)
        #expect(!NetworkClientError(CURLE_SSL_CONNECT_ERROR, sent).isUnprocessed)
        #expect(!NetworkClientError(CURLE_PEER_FAILED_VERIFICATION, FailureContext(detail: detail)).isUnprocessed)
    }

    @Test(arguments: [CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT, CURLE_COULDNT_RESOLVE_HOST])
    func aRequestThatWasSentMayHaveBeenActedOnThoughNoOtherConnectionIsMade(_ curl: CURLcode) {
        #expect(NetworkClientError(curl, FailureContext()).isUnprocessed)
        let error = NetworkClientError(curl, FailureContext(isSent: true))
        #expect(error.code == .connectionLost)
        #expect(!error.isUnprocessed)
    }

    @Test func aRequestThatWasSentMayHaveBeenActedOnThoughItsProxyIsGone() throws {
        let detail = "Failed to connect to 127.0.0.1 port 3128 after 0 ms: Couldn't connect to server"
        let context = FailureContext(detail: detail, isSent: true, proxy: try ProxyAddress("http://127.0.0.1:3128"))
        #expect(!NetworkClientError(CURLE_COULDNT_CONNECT, context).isUnprocessed)
    }

    @Test func aHandshakeThatWasRefusedIsNotTriedAgain() {
        let detail = "TLS connect error: error:0A000410:SSL routines::ssl/tls alert handshake failure"
        #expect(!NetworkClientError(CURLE_SSL_CONNECT_ERROR, FailureContext(detail: detail)).isUnprocessed)
    }

    @Test func takesAnAlertAfterTheHandshakeForTLS() {
        let detail = "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0"
        #expect(NetworkClientError(CURLE_RECV_ERROR, FailureContext(detail: detail, isSent: true)).code == .tlsFailed)
    }
}
