// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

struct NetworkClientErrorTests {
    @Test func isDescribedTheSameWhereverItIsShown() {
        let error: any Error = NetworkClientError(
            .unacceptableStatus, "gone", response: HTTPResponse(status: .gone))
        #expect("\(error)" == "unacceptableStatus: gone (status 410)")
        #expect(error.localizedDescription == "\(error)")
    }

    @Test func namesTheStatusOnce() {
        let error = NetworkClientError(
            .unacceptableStatus, "the server answered with status 410", response: HTTPResponse(status: .gone))
        #expect("\(error)" == "unacceptableStatus: the server answered with status 410")
    }

    @Test func showsACauseThatQuotesNoValuesInOneLine() {
        struct Lost: ValueFreeError { var outline: String }
        let error = NetworkClientError(
            .decodingFailed, "no", response: HTTPResponse(status: .ok), cause: Lost(outline: "a\r\nb\u{2028}c"))
        #expect("\(error)" == "decodingFailed: no: a  b c (status 200)")
        let long = Lost(outline: String(repeating: "k", count: 301))
        let cut = String(repeating: "k", count: 300) + "…"
        #expect("\(NetworkClientError(.decodingFailed, "no", cause: long))" == "decodingFailed: no: \(cut)")
    }

    @Test func whatMayPassByItselfIsTransient() {
        var unprocessed = NetworkClientError(.tlsFailed, "lost in the handshake")
        unprocessed.isUnprocessed = true
        let transient: [NetworkClientError] = [
            NetworkClientError(.connectionLost, ""), NetworkClientError(.dnsFailed, ""),
            NetworkClientError(.cannotConnect, ""), .timedOut(.attempt), .timedOut(.idle), .timedOut(.connect),
            unprocessed,
        ]
        let lasting: [NetworkClientError] = [
            .timedOut(.deadline), NetworkClientError(.tlsFailed, ""), NetworkClientError(.unacceptableStatus, ""),
            NetworkClientError(.protocolViolation, ""), NetworkClientError(.cancelled, ""),
        ]
        #expect(transient.allSatisfy { $0.isTransient })
        #expect(!lasting.contains { $0.isTransient })
    }

    private static let names = [
        "malformedURL", "invalidRequest", "encodingFailed", "unsupportedByTransport", "transportShutDown", "dnsFailed",
        "cannotConnect", "tlsFailed", "proxyFailed", "connectionLost", "protocolViolation", "timedOut", "bodyTooLarge",
        "contentEncodingFailed", "bodyAlreadyConsumed", "bodyNotRead", "fileFailed", "uploadFailed",
        "bodyNotReplayable", "signedOut", "circuitOpen", "concurrencyLimited", "rateLimited", "tooManyRedirects",
        "invalidRedirect", "unacceptableStatus", "unacceptableContentType", "decodingFailed", "errorEvent",
        "internalFailure", "cancelled", "foreign",
    ]

    @Test func aCodeIsReadFromItsName() {
        for name in Self.names { #expect(NetworkClientError.Code(name: name)?.description == name) }
        #expect(NetworkClientError.Code(name: "dnsFailed") == .dnsFailed)
        for name in ["", "DNSFailed", "dns failed", "other"] { #expect(NetworkClientError.Code(name: name) == nil) }
    }

    /// Nothing was sent: without a connection, and where the client itself has refused the call.
    @Test func theServerHasNotActedOnWhatItNeverGot() throws {
        let unprocessed: Set = ["dnsFailed", "cannotConnect", "circuitOpen", "concurrencyLimited", "rateLimited"]
        for name in Self.names {
            let code = try #require(NetworkClientError.Code(name: name))
            #expect(NetworkClientError(code, "").isUnprocessed == unprocessed.contains(name), "\(name)")
            #expect(code.isRefusalOfClient == ["circuitOpen", "concurrencyLimited", "rateLimited"].contains(name))
        }
    }

    @Test(
        arguments: [
            (.connect, .seconds(30), "the connect timeout of 30 s passed"), (.idle, nil, "the idle timeout passed"),
            (.attempt, .milliseconds(1500), "the attempt timeout of 1.5 s passed"),
            (.deadline, .zero, "the deadline timeout of 0 s passed"),
        ] as [(Timeouts.Kind, Duration?, String)])
    func aTimeoutSaysWhichLimitPassed(_ kind: Timeouts.Kind, _ limit: Duration?, _ message: String) {
        let error = NetworkClientError.timedOut(kind, after: limit, cause: CancellationError())
        #expect(error.code == .timedOut && error.timeout == kind && error.message == message)
        #expect(error.isUnprocessed == (kind == .connect))
        #expect(error.cause is CancellationError)
    }

    @Test(arguments: [
        ("Connection reset by peer", true), ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h:443", true),
        ("error:0A000126:SSL routines::Unexpected EOF while reading", true),
        ("GnuTLS recv error (-110): The TLS connection was non-properly terminated.", true),
        ("certificate has expired", false), ("", false),
    ])
    func aLostConnectionIsKnownByTheWordsOfLibraries(text: String, isLost: Bool) {
        #expect(NetworkClientError.namesLostConnection(text) == isLost)
    }

    @Test func keepsTheStartOfABody() {
        let body = Data(repeating: 1, count: 64 * 1024) + Data([2])
        #expect(NetworkClientError.start(of: body) == Data(repeating: 1, count: 64 * 1024))
        #expect(NetworkClientError.start(of: Data([3])) == Data([3]))
        #expect(NetworkClientError.bodyTooLarge(10).message == "the body is larger than 10 bytes")
        #expect(NetworkClientError.bodyTooLarge(10).code == .bodyTooLarge)
    }

    @Test func withoutABodyThereIsNothingToDecode() {
        let head = HTTPResponse(status: .notFound)
        let body = Data(#"{"id":1,"title":"t"}"#.utf8)
        for error in [
            NetworkClientError(.unacceptableStatus, ""), NetworkClientError(.unacceptableStatus, "", response: head),
            NetworkClientError(.unacceptableStatus, "", body: body),
            NetworkClientError(.unacceptableStatus, "", response: head, body: body),
        ] {
            let failure = #expect(throws: NetworkClientError.self) { try error.decode(Post.self) }
            #expect(failure?.code == .decodingFailed)
            #expect(failure?.message == "the error carries no body to decode")
        }
    }

    @Test func aDumpHasWhatIsNoSecret() {
        struct Quoting: Error { let text = "s3cret" }
        var error = NetworkClientError(
            .timedOut, "late", response: HTTPResponse(status: .ok, headerFields: [.setCookie: "s3cret"]),
            body: Data("s3cret".utf8), cause: Quoting())
        error.timeout = .idle
        let children = Dictionary(
            uniqueKeysWithValues: error.customMirror.children.map { ($0.label ?? "", "\($0.value)") })
        #expect(
            children == [
                "code": "timedOut", "message": "late", "status": "Optional(200)", "timeout": "Optional(idle)",
                "isUnprocessed": "false", "exchange": "nil", "cause": "Optional(\(String(reflecting: Quoting.self)))",
            ])
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("s3cret"))
    }
}
