// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import StrataURLSession
import Testing

/// What comes in, well-formed and not.
///
/// Trailers and an end inside the head are not here: they end the process on Linux.
struct URLSessionResponseTests {
    private func exchange(
        _ method: HTTPRequest.Method = .get, _ steps: RawScript.Step...
    ) async throws -> (head: HTTPResponse, body: String) {
        try await withURLSession { try await $0.exchange(method, steps) }
    }

    @Test func deliversHeadAndBody() async throws {
        let (head, body) = try await exchange(
            .get,
            .send(
                "HTTP/1.1 404 Gone Fishing\r\nSet-Cookie: a=1\r\nX: v\r\nSet-Cookie: b=2\r\nContent-Length: 5\r\n\r\nhello"
            ))
        #expect(head.status.code == 404)
        #expect(head.headerFields[values: .setCookie] == ["a=1", "b=2"])
        #expect(head.headerFields[.init("x")!] == "v")
        #expect(body == "hello")
    }

    @Test(arguments: ["", "Location: //[::1"])
    func deliversARedirectToNowhere(_ field: String) async throws {
        let (head, _) = try await exchange(.get, .respond(302, fields: field.isEmpty ? [] : [field]))
        #expect(head.status.code == 302)
    }

    @Test(arguments: [
        (401, "WWW-Authenticate: Basic realm=\"x\""),
        (401, "WWW-Authenticate: basic realm=x, Digest realm=\"y\", nonce=\"1\""),
        (401, "WWW-Authenticate: Bearer"), (401, "WWW-Authenticate: Bearer error=\"invalid_token\""),
        (401, "WWW-Authenticate: Negotiate"), (401, "X: no challenge"), (407, "Proxy-Authenticate: Basic realm=\"x\""),
    ])
    func deliversAChallengeAsAResponse(_ status: Int, _ field: String) async throws {
        let (head, body) = try await exchange(.get, .respond(status, fields: [field], body: "denied"))
        #expect(head.status.code == status)
        #expect(body == "denied")
    }

    @Test func usesTheConnectionAgainAfterAChallenge() async throws {
        try await RawServer.withServer(
            script: [
                .repeat([.readRequest, .respond(401, fields: ["WWW-Authenticate: Basic realm=\"x\""], body: "no")])
            ]
        ) { server in
            try await withURLSession { transport in
                for _ in 0..<5 {
                    let text = try await transport.text(.get, server.url)
                    #expect(text == "no")
                }
                #expect(server.log.connectionCount == 1)
            }
        }
    }

    @Test func swallowsInterimResponses() async throws {
        let (head, body) = try await exchange(
            .get, .send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n"),
            .respond(201, fields: ["X-Final: 1"], body: "hello"))
        #expect(head.status.code == 201)
        #expect(head.headerFields[.init("X-Early")!] == nil)
        #expect(body == "hello")
    }

    @Test(arguments: [
        (HTTPRequest.Method.head, "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n"),
        (.get, "HTTP/1.1 304 Not Modified\r\nContent-Length: 11\r\n\r\n"), (.get, "HTTP/1.1 204 No Content\r\n\r\n"),
    ])
    func knowsResponsesWithoutABody(_ method: HTTPRequest.Method, _ head: String) async throws {
        // Whoever waits for a body waits until the idle timeout, and fails.
        let body = try await exchange(method, .send(head), .hang).body
        #expect(body == "")
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello", NetworkClientError.Code.connectionLost),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", .connectionLost), ("", .connectionLost),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello", .protocolViolation),
        ("HTTP/1.1 200 OK\r\nContent-Length: 36893488147419103232\r\n\r\nhello", .protocolViolation),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 10\r\n\r\nhello", .protocolViolation),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello", .protocolViolation),
        ("SSH-2.0-OpenSSH\r\n", .protocolViolation),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", .contentEncodingFailed),
    ])
    func namesWhatIsWrong(_ sent: String, _ code: NetworkClientError.Code) async throws {
        let error = await #expect(throws: NetworkClientError.self) { try await exchange(.get, .send(sent), .close) }
        #expect(error?.code == code)
    }

    @Test func namesAHostThatIsNot() async throws {
        let error = try await withURLSession { transport in
            await #expect(throws: NetworkClientError.self) {
                try await transport.text(.get, "http://nowhere.invalid/?token=secret")
            }
        }
        #expect(error?.code == .dnsFailed)
        #expect(error.map { "\($0) \($0.cause as Any)".contains("secret") } == false)
    }

    @Test(arguments: ["gzip", "deflate"]) func decodesBodies(_ coding: String) async throws {
        try await expectDecoded(coding)
    }

    @Test(.enabled(if: URLSessionTransport().capabilities.features.contains(.brotli), "it does not claim br here"))
    func decodesBrotli() async throws {
        try await expectDecoded("brotli")
    }

    private func expectDecoded(_ coding: String) async throws {
        try await EchoTarget.withServer { server in
            try await withURLSession { transport in
                let response = try await transport.send(.get, server.url + "/" + coding)
                #expect(response.head.headerFields[.contentEncoding] == nil)
                #expect(response.head.headerFields[.contentLength] == nil)
                #expect(response.metrics?.contentEncoding != nil)
                let text = String(decoding: try await response.body.collect(), as: UTF8.self)
                #expect(text.contains("\"method\""))
            }
        }
    }
}
