// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Testing

@testable import StrataURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct ErrorTranslationTests {
    private static let secret = "https://user:pw@h.example/p?token=secret"

    private func translate(_ code: URLError.Code, _ text: String? = nil) -> (any Error) {
        var info: [String: Any] = [
            "NSErrorFailingURLStringKey": Self.secret, NSURLErrorFailingURLErrorKey: URL(string: Self.secret) as Any,
        ]
        if let text { info[NSLocalizedDescriptionKey] = text }
        return ErrorTranslation.error(URLError(code, userInfo: info))
    }

    /// Every code that URLError has a name for, and the code that it becomes.
    private static let codes: [(URLError.Code, NetworkClientError.Code)] = [
        (.badURL, .malformedURL), (.cannotFindHost, .dnsFailed), (.dnsLookupFailed, .dnsFailed),
        (.cannotConnectToHost, .cannotConnect), (.notConnectedToInternet, .cannotConnect),
        (.internationalRoamingOff, .cannotConnect), (.callIsActive, .cannotConnect), (.dataNotAllowed, .cannotConnect),
        (.appTransportSecurityRequiresSecureConnection, .cannotConnect),
        (.backgroundSessionRequiresSharedContainer, .cannotConnect),
        (.backgroundSessionInUseByAnotherProcess, .cannotConnect), (.networkConnectionLost, .connectionLost),
        (.backgroundSessionWasDisconnected, .connectionLost), (.secureConnectionFailed, .tlsFailed),
        (.serverCertificateHasBadDate, .tlsFailed), (.serverCertificateUntrusted, .tlsFailed),
        (.serverCertificateHasUnknownRoot, .tlsFailed), (.serverCertificateNotYetValid, .tlsFailed),
        (.clientCertificateRejected, .tlsFailed), (.clientCertificateRequired, .tlsFailed),
        (.cannotDecodeRawData, .contentEncodingFailed), (.cannotDecodeContentData, .contentEncodingFailed),
        (.cannotParseResponse, .protocolViolation), (.unsupportedURL, .protocolViolation),
        (.badServerResponse, .protocolViolation), (.unknown, .protocolViolation),
        (.userCancelledAuthentication, .protocolViolation), (.userAuthenticationRequired, .protocolViolation),
        (.resourceUnavailable, .protocolViolation), (.zeroByteResource, .protocolViolation),
        (.cannotLoadFromNetwork, .protocolViolation), (.httpTooManyRedirects, .tooManyRedirects),
        (.redirectToNonExistentLocation, .invalidRedirect), (.requestBodyStreamExhausted, .uploadFailed),
        (.fileDoesNotExist, .uploadFailed), (.fileIsDirectory, .uploadFailed),
        (.noPermissionsToReadFile, .uploadFailed),
        (.dataLengthExceedsMaximum, .unsupportedByTransport), (.cannotCreateFile, .internalFailure),
        (.cannotOpenFile, .internalFailure), (.cannotCloseFile, .internalFailure),
        (.cannotWriteToFile, .internalFailure), (.cannotRemoveFile, .internalFailure),
        (.cannotMoveFile, .internalFailure), (.downloadDecodingFailedMidStream, .internalFailure),
        (.downloadDecodingFailedToComplete, .internalFailure), (.timedOut, .timedOut),
    ]

    @Test func mapsEveryCode() throws {
        for (code, expected) in Self.codes {
            let error = try #require(translate(code, "The operation failed") as? NetworkClientError, "\(code)")
            #expect(error.code == expected, "\(code)")
        }
        #expect(Set(Self.codes.map(\.0.rawValue)).count == Self.codes.count)
    }

    @Test func aCancelIsACancel() {
        #expect(translate(.cancelled) is CancellationError)
    }

    @Test func theTimeoutOfTheSystemIsTheConnections() throws {
        let error = try #require(translate(.timedOut) as? NetworkClientError)
        #expect(error.timeout == .connect)
    }

    @Test func theCauseHasTheSessionsOwnCodeWhereItNamesAStage() throws {
        for code in [URLError.Code.notConnectedToInternet, .serverCertificateUntrusted, .timedOut] {
            let cause = try #require((translate(code, "words") as? NetworkClientError)?.cause as? URLError)
            #expect(cause.code == code)
            #expect(cause.localizedDescription == "words")
        }
        for code in [URLError.Code.unknown, .badServerResponse] {
            let error = try #require(translate(code, "Empty reply from server") as? NetworkClientError)
            #expect(error.cause.map { "\($0)" } == "URLError \(code.rawValue): Empty reply from server")
        }
    }

    @Test func neverTellsTheURL() throws {
        for (code, _) in Self.codes {
            let error = try #require(translate(code) as? NetworkClientError)
            let texts = [error.description, error.cause.map { "\($0)" } ?? "", String(reflecting: error)]
            #expect(texts.allSatisfy { !$0.contains("secret") && !$0.contains("pw@") }, "\(code)")
        }
    }

    @Test(arguments: [
        ("transfer closed with 45 bytes remaining to read", NetworkClientError.Code.connectionLost),
        ("Empty reply from server", .connectionLost), ("Recv failure: Connection reset by peer", .connectionLost),
        ("OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0", .connectionLost),
        ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h.example:443", .tlsFailed),
        ("SSL certificate problem: self-signed certificate", .tlsFailed),
        ("Failed to connect to h.example port 81 after 0 ms: Couldn't connect to server", .cannotConnect),
        ("Could not resolve host: h.example", .dnsFailed), ("Could not resolve proxy: p.example", .proxyFailed),
        ("Received HTTP code 407 from proxy after CONNECT", .proxyFailed),
        (
            "Unrecognized content encoding type. libcurl understands deflate, gzip, br content encodings.",
            .contentEncodingFailed
        ),
        ("Error while processing content unencoding: incorrect header check", .contentEncodingFailed),
        ("Failed writing header", .protocolViolation), ("Received HTTP/0.9 when not allowed", .protocolViolation),
        ("operation aborted by callback", .uploadFailed), ("something new", .protocolViolation),
    ])
    func readsTheWordsWhereThereIsNoCode(_ text: String, _ code: NetworkClientError.Code) throws {
        let error = try #require(translate(.unknown, text) as? NetworkClientError)
        #expect(error.code == code)
    }

    /// The request comes after the handshake, which was refused or not.
    @Test(arguments: [
        ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h.example:443", true),
        ("OpenSSL SSL_connect: Connection reset by peer in connection to h.example:443", true),
        ("SSL certificate problem: self-signed certificate", false),
    ])
    func aConnectionThatWasLostInTheHandshakeHasSentNothing(_ text: String, _ isUnprocessed: Bool) throws {
        let error = try #require(translate(.unknown, text) as? NetworkClientError)
        #expect(error.code == .tlsFailed)
        #expect(error.isUnprocessed == isUnprocessed)
    }
}
