// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// From `URLError` to the stage at which the exchange failed.
enum ErrorTranslation {
    static func error(_ error: any Error) -> any Error {
        if error is NetworkClientError || error is CancellationError { return error }
        guard let error = error as? URLError else {
            return NetworkClientError(.internalFailure, "URLSession failed", cause: error)
        }
        if error.code == .cancelled { return CancellationError() }
        let text = error.localizedDescription
        // Without the URL that it carries.
        let said = URLError(error.code, userInfo: [NSLocalizedDescriptionKey: text])
        if error.code == .timedOut { return NetworkClientError.timedOut(.connect, cause: said) }
        let named = stage(of: error.code)
        let code = named ?? stage(ofText: text)
        // For TLS alone the session's text is added: it says more than the stage, and names nothing but certificates
        // and hosts.
        let reason = code == .tlsFailed && !text.isEmpty ? ": \(text)" : ""
        var failure = NetworkClientError(
            code, message(for: code) + reason, cause: named == nil ? BackendError(error) : said)
        // A connection that was lost during the handshake has not carried the request yet.
        if code == .tlsFailed { failure.isUnprocessed = NetworkClientError.namesLostConnection(text) }
        return failure
    }

    /// The stage that a code names; `nil` for codes that may mean anything.
    static func stage(of code: URLError.Code) -> NetworkClientError.Code? {
        switch code {
        case .badURL: .malformedURL
        case .cannotFindHost, .dnsLookupFailed: .dnsFailed
        case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed,
            .appTransportSecurityRequiresSecureConnection, .backgroundSessionRequiresSharedContainer,
            .backgroundSessionInUseByAnotherProcess:
            .cannotConnect
        case .networkConnectionLost, .backgroundSessionWasDisconnected: .connectionLost
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            .tlsFailed
        case .cannotDecodeRawData, .cannotDecodeContentData: .contentEncodingFailed
        case .cannotParseResponse, .unsupportedURL, .userCancelledAuthentication, .userAuthenticationRequired,
            .resourceUnavailable, .zeroByteResource, .cannotLoadFromNetwork:
            .protocolViolation
        case .httpTooManyRedirects: .tooManyRedirects
        case .redirectToNonExistentLocation: .invalidRedirect
        case .requestBodyStreamExhausted, .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile: .uploadFailed
        case .dataLengthExceedsMaximum: .unsupportedByTransport
        case .cannotCreateFile, .cannotOpenFile, .cannotCloseFile, .cannotWriteToFile, .cannotRemoveFile,
            .cannotMoveFile, .downloadDecodingFailedMidStream, .downloadDecodingFailedToComplete:
            .internalFailure
        // `badServerResponse` stands for an empty reply on Linux; `unknown` for everything that has no code of its own there.
        default: nil
        }
    }

    /// What libcurl says in words when FoundationNetworking has no code for it.
    static func stage(ofText text: String) -> NetworkClientError.Code {
        let text = text.lowercased()
        return stages.first { stage in stage.words.contains { text.contains($0) } }?.code ?? .protocolViolation
    }

    private static let stages: [(code: NetworkClientError.Code, words: [String])] = [
        (.dnsFailed, ["could not resolve host", "couldn't resolve host"]),
        (.proxyFailed, ["proxy"]),
        // These are about an established connection. Every other text that names TLS is about the handshake.
        (.connectionLost, ["ssl_read", "ssl_write"]),
        (.tlsFailed, ["ssl", "certificate", "tls"]),
        (.cannotConnect, ["failed to connect", "couldn't connect", "connection refused", "unreachable"]),
        (
            .contentEncodingFailed,
            ["content encoding", "unencoding", "content-encoding", "failed writing received data"]
        ),
        (
            .connectionLost,
            [
                "empty reply", "connection reset", "transfer closed", "recv failure", "send failure", "broken pipe",
                "bytes remaining", "connection died", "network connection was lost", "stream 0 was not closed",
                "goaway",
            ]
        ),
        (.uploadFailed, ["read function", "aborted by callback", "operation was aborted"]),
    ]

    private static func message(for code: NetworkClientError.Code) -> String {
        switch code {
        case .malformedURL: "URLSession does not accept the request's URL"
        case .dnsFailed: "the host name could not be resolved"
        case .cannotConnect: "no connection to the server"
        case .connectionLost: "the connection ended before the response was complete"
        case .tlsFailed: "the TLS handshake or the verification of the server's certificate failed"
        case .proxyFailed: "the proxy could not be reached or refused"
        case .contentEncodingFailed: "the response's content coding is damaged or unknown"
        case .uploadFailed: "the request's body could not be read"
        case .unsupportedByTransport: "URLSession refused the request"
        case .tooManyRedirects, .invalidRedirect: "URLSession followed a redirect and failed"
        case .internalFailure: "URLSession failed"
        default: "what the server sent is not a valid response"
        }
    }
}
