// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataTesting
import Testing

/// What comes in, well-formed and not.
struct CurlResponseTests {
    private func exchange(
        _ method: HTTPRequest.Method = .get, _ steps: RawScript.Step...
    ) async throws -> (head: HTTPResponse, body: String) {
        try await withCurl { try await $0.exchange(method, steps) }
    }

    @Test func deliversHeadAndBody() async throws {
        let (head, body) = try await exchange(
            .get,
            .send(
                "HTTP/1.1 404 Gone Fishing\r\nSet-Cookie: a=1\r\nX: \r\nset-cookie: b=2\r\nContent-Length: 5\r\n\r\nhello"
            ))
        #expect(head.status == .init(code: 404, reasonPhrase: "Gone Fishing"))
        #expect(head.headerFields[values: .setCookie] == ["a=1", "b=2"])
        #expect(head.headerFields.map(\.name.rawName) == ["Set-Cookie", "X", "set-cookie", "Content-Length"])
        #expect(body == "hello")
    }

    @Test func swallowsInterimResponsesAndTrailers() async throws {
        let (head, body) = try await exchange(
            .get, .send("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n"),
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Final: 1\r\n\r\n"),
            .drip("5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nX-Trailer: v\r\n\r\n", size: 3, every: .milliseconds(1)))
        #expect(head.headerFields.map(\.name.rawName) == ["Transfer-Encoding", "X-Final"])
        #expect(body == "hello!")
    }

    @Test(arguments: [
        (HTTPRequest.Method.head, "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n"),
        (.head, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        (.get, "HTTP/1.1 304 Not Modified\r\nContent-Length: 11\r\n\r\n"), (.get, "HTTP/1.1 204 No Content\r\n\r\n"),
    ])
    func knowsResponsesWithoutABody(_ method: HTTPRequest.Method, _ head: String) async throws {
        // The connection stays open: whoever waits for more runs into the idle timeout.
        expectEqual(try await exchange(method, .send(head), .readToEnd).body, "")
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello", "HTTP/1.1 200 OK\r\nX: y\r\n", "HTTP/1.1 20", "",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", "HTTP/1.1 103 Early\r\nA: b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7FFFFFFFFFFFFFFF\r\nhello",
    ])
    func takesNoTruncationForTheEnd(_ sent: String) async throws {
        await #expect { try await exchange(.get, .send(sent), .close) } throws: { $0.stage == .connectionLost }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 10\r\n\r\nhello", "-foo- this is not HTTP\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 36893488147419103232\r\n\r\nhello", "HTTP/5.6 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloXX5\r\nworld\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nNul: a\0b\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\n Folded: first\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
        "HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/2 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/2 200 \r\nContent-Length: 5\r\n\r\nhello",
    ])
    func refusesWhatBreaksTheRules(_ sent: String) async throws {
        await #expect { try await exchange(.get, .send(sent), .close) } throws: { $0.stage == .protocolViolation }
    }

    @Test(arguments: [HTTPRequest.Method.get, .head])
    func handsOutNoHeadOfAnotherVersion(_ method: HTTPRequest.Method) async throws {
        let script: RawScript = [.readRequest, .send("HTTP/2 200\r\nContent-Length: 5\r\n\r\nhello"), .close]
        try await RawServer.withServer(script: script) { server in
            try await withCurl { transport in
                await #expect { try await transport.send(method, server.url) } throws: {
                    $0.stage == .protocolViolation
                }
            }
        }
    }

    @Test func endsAFieldWithoutEnd() async throws {
        let line = "X-Flood: \(String(repeating: "a", count: 400_000))\r\n\r\n"
        await #expect { try await exchange(.get, .send("HTTP/1.1 200 OK\r\n" + line)) } throws: {
            $0.stage == .protocolViolation
        }
    }

    @Test func failsInTheBodyWhenTheHeadHasArrived() async throws {
        let script: RawScript = [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .close]
        try await RawServer.withServer(script: script) { server in
            try await withCurl { transport in
                let response = try await transport.send(.get, server.url)
                #expect(response.head.status == .ok)
                var iterator = response.body.makeAsyncIterator()
                expectEqual(try await iterator.next(), Data("hello".utf8))
                await #expect { try await iterator.next() } throws: { $0.stage == .connectionLost }
            }
        }
    }

    @Test func deliversAnAnswerThatComesBeforeTheUploadIsOver() async throws {
        let script: RawScript = [.readHead, .respond(413, fields: ["Connection: close"], body: "too much"), .close]
        try await RawServer.withServer(script: script) { server in
            try await withCurl { transport in
                let list = (0..<200).map { _ in Data(count: 100_000) }
                let response = try await transport.send(.post, server.url, body: .stream(make: pieces(list)))
                #expect(response.head.status.code == 413)
                expectEqual(try await response.body.collect(), Data("too much".utf8))
            }
        }
    }

    /// libcurl 7.88 read what it had freed when a handle's second response began so (curl #11103).
    @Test(arguments: [" ", "\t"]) func outlivesAHeadWhoseFirstFieldBeginsWithABlank(_ blank: String) async throws {
        let folded = "HTTP/1.1 200 OK\r\n\(blank)X: a\r\nContent-Length: 5\r\n\r\nhello"
        let script: RawScript = [.readRequest, .respond(body: "first"), .readRequest, .send(folded), .close]
        try await RawServer.withServer(script: script) { server in
            try await withCurl { transport in
                for _ in 0..<20 {
                    expectEqual(try await transport.send(.get, server.url).body.collect(), Data("first".utf8))
                    let body = try? await transport.send(.get, server.url).body.collect()
                    #expect(body == nil || body == Data("hello".utf8))
                }
            }
        }
    }

    @Test func tellsWhatItKnows() async throws {
        try await RawServer.withServer(script: .forever(.readRequest, .respond(body: "hello"))) { server in
            try await withCurl { transport in
                let first = try #require(try await transport.send(.get, server.url).metrics)
                #expect(first.httpVersion == "HTTP/1.1")
                #expect(first.isConnectionReused == false)
                #expect(first.remoteAddress == "127.0.0.1")
                #expect(first.encodedBytesReceived == 5)
                #expect(first.connected != nil)
                #expect(try #require(first.firstByte) <= #require(first.total))
                let second = try #require(try await transport.send(.get, server.url).metrics)
                #expect(second.isConnectionReused == true)
                #expect(second.connected == nil)
            }
            #expect(server.log.connectionCount == 1)
        }
    }

    @Test func bodiesThatComeInPiecesAreWhole() async throws {
        let body = String(repeating: "x", count: 200_000)
        try await RawServer.withServer(script: .forever(.readRequest, .respond(body: body))) { server in
            try await withCurl { transport in
                for _ in 0..<100 { expectEqual(try await transport.text(.get, server.url), body) }
            }
        }
    }
}
