// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import StrataCore
import StrataTransportSupport

/// What the engine knows about an exchange that libcurl ended with an error.
struct FailureContext {
    /// libcurl's sentence about this failure; empty when it had none.
    var detail = ""
    /// Whether the request was, or may have been, written to a connection.
    var isSent = false
    var connectTimeout: Duration?
    /// The proxy that was to be used.
    var proxy = ProxyAddress()

    /// Whether it is the proxy that cannot be reached.
    var namesProxy: Bool {
        guard !proxy.url.isEmpty else { return false }
        return detail.contains("connect to \(proxy.host) port \(proxy.port) ")
            || detail.hasPrefix("Failed to connect to ") && detail.contains(" over proxy \(proxy.host) ")
            || detail.hasPrefix("Could not resolve proxy") || detail == "Could not resolve host: \(proxy.host)"
    }
}

extension NetworkClientError {
    /// libcurl's verdict as an error of ours: the code names the stage, ``CurlError`` is the cause.
    init(_ curl: CURLcode, _ context: FailureContext) {
        let cause = CurlError(curl)
        if curl == CURLE_OPERATION_TIMEDOUT {
            // The loop watches the other limits itself, so that libcurl's timer is that of connecting.
            self = .timedOut(.connect, after: context.connectTimeout, cause: cause)
        } else {
            let code = Self.code(of: curl, context)
            self.init(code, Self.message(curl, code, context), cause: cause)
            // When the proxy cannot be reached, the request may be sent again. When it refuses, it has seen the
            // request.
            if code == .proxyFailed { isUnprocessed = context.namesProxy }
            // The request comes after the handshake.
            if curl == CURLE_SSL_CONNECT_ERROR { isUnprocessed = Self.namesLostConnection(context.detail) }
        }
        // The request was written to an idle connection, which ended without an answer. What failed here is the new
        // connection that libcurl made in its place.
        if context.isSent, isUnprocessed {
            self = Self(
                .connectionLost, "the connection ended before an answer came, and no other was made", cause: cause)
        }
    }

    /// `CURLE_TOO_LARGE`, since 8.6.0: a field or a URL beyond libcurl's limits.
    private static let tooLarge = CURLcode(rawValue: 100)
    /// `CURLE_ECH_REQUIRED`, since 8.8.0: the server did not take the encrypted hello.
    private static let helloRefused = CURLcode(rawValue: 101)

    static func code(of curl: CURLcode, _ context: FailureContext) -> Code {
        switch curl {
        case CURLE_URL_MALFORMAT: .malformedURL
        // libcurl also gives this code for an answer that begins with "HTTP/5.6".
        case CURLE_UNSUPPORTED_PROTOCOL: context.isSent ? .protocolViolation : .unsupportedByTransport
        // libcurl gives the first code for response fields that its parser refuses, and the second for a line beyond
        // 100 KB.
        case CURLE_BAD_FUNCTION_ARGUMENT where context.isSent, CURLE_OUT_OF_MEMORY where context.isSent:
            .protocolViolation
        case CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION: .unsupportedByTransport
        // With SOCKS 5 names are resolved on this side of the proxy.
        case CURLE_PROXY where context.detail.contains("resolve") && !context.namesProxy: .dnsFailed
        case CURLE_COULDNT_RESOLVE_HOST where context.namesProxy: .proxyFailed
        case CURLE_COULDNT_RESOLVE_HOST where context.detail.hasPrefix("Unix socket"): .cannotConnect
        case CURLE_COULDNT_RESOLVE_HOST: .dnsFailed
        case CURLE_COULDNT_CONNECT where context.namesProxy || context.detail.contains("CONNECT tunnel"): .proxyFailed
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: .cannotConnect
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .proxyFailed
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED, Self.helloRefused:
            .tlsFailed
        // libcurl is told not to decode content codings, so the code is about a transfer coding that it does not know.
        case CURLE_BAD_CONTENT_ENCODING: .protocolViolation
        case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_RANGE_ERROR,
            Self.tooLarge, CURLE_QUIC_CONNECT_ERROR:
            code(ofProtocolFailure: curl, context)
        // In TLS 1.3 the server refuses a client's certificate after the handshake.
        case CURLE_SEND_ERROR where isAlert(context.detail), CURLE_RECV_ERROR where isAlert(context.detail): .tlsFailed
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND, CURLE_AGAIN,
            CURLE_NO_CONNECTION_AVAILABLE, CURLE_SSL_SHUTDOWN_FAILED:
            .connectionLost
        case CURLE_RECV_ERROR: code(ofReceiveFailure: context.detail)
        case CURLE_FILESIZE_EXCEEDED: .bodyTooLarge
        case CURLE_TOO_MANY_REDIRECTS: .tooManyRedirects
        case CURLE_READ_ERROR, CURLE_UPLOAD_FAILED, CURLE_FILE_COULDNT_READ_FILE: .uploadFailed
        case CURLE_LOGIN_DENIED, CURLE_AUTH_ERROR: .proxyFailed
        default: .internalFailure
        }
    }

    private static func isAlert(_ detail: String) -> Bool {
        detail.contains("alert ") && (detail.contains("SSL") || detail.contains("TLS"))
    }

    /// libcurl reports a broken chunk, and a proxy that opens no tunnel, as failures to receive. Only its message tells
    /// them apart.
    private static func code(ofReceiveFailure detail: String) -> Code {
        if detail.contains("hunk") || detail.contains("Too large response headers") { return .protocolViolation }
        return detail.contains("CONNECT") ? .proxyFailed : .connectionLost
    }

    /// HTTP/2 reports a connection that ended and a peer that broke the rules with the same codes.
    private static func code(ofProtocolFailure curl: CURLcode, _ context: FailureContext) -> Code {
        let detail = context.detail
        // After a GOAWAY, libcurl before 8.0 closes streams without a message.
        let isClosed =
            curl == CURLE_HTTP2
            && (detail.isEmpty || detail.hasPrefix("Send failure") || detail.hasPrefix("Recv failure"))
            || detail.contains("before end of the underlying stream")
            || detail.contains("CANCEL") || detail.contains("REFUSED_STREAM") || detail.contains("INTERNAL_ERROR")
            || detail.contains("NO_ERROR")
        return isClosed && curl != CURLE_WEIRD_SERVER_REPLY ? .connectionLost : .protocolViolation
    }

    /// What libcurl says of a head beyond its limits names none of them, and is `Out of memory` for a line in most versions.
    private static func tooLargeHead(_ curl: CURLcode, _ code: Code, _ context: FailureContext) -> String? {
        guard code == .protocolViolation, context.isSent else { return nil }
        if context.detail.contains("Too large response headers") {
            return "the response's head is larger than libcurl's limit of 300 KiB"
        }
        guard curl == CURLE_OUT_OF_MEMORY || curl == Self.tooLarge else { return nil }
        return "a line of the response's head is larger than libcurl's limit of 100 KiB"
    }

    private static func message(_ curl: CURLcode, _ code: Code, _ context: FailureContext) -> String {
        if let tooLarge = tooLargeHead(curl, code, context) { return tooLarge }
        let general = curl_easy_strerror(curl).map { String(cString: $0) } ?? "curl \(curl.rawValue)"
        // For these stages libcurl's message may quote a URL or a field. For the others it says what is wrong.
        let isQuoting: [Code] = [.malformedURL, .protocolViolation, .unsupportedByTransport, .internalFailure]
        // It also quotes a proxy's URL that it does not support.
        guard !context.detail.isEmpty, !isQuoting.contains(code), !context.detail.hasPrefix("Unsupported proxy") else {
            return general
        }
        // Often it has the general text in it.
        let text = context.detail.contains(general) ? context.detail : "\(general): \(context.detail)"
        // OpenSSL, BoringSSL and GnuTLS, of an answer that is not TLS.
        let isPlain = ["wrong version number", "wrong_version_number", "http request", "unexpected tls packet"]
            .contains { text.lowercased().contains($0) }
        return isPlain ? "\(text): the port may speak plain HTTP" : text
    }
}
