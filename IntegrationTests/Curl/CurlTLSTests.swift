// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import TestSupport
import Testing

@testable import StrataCurl

/// TLS and HTTP/2, against the echo server.
struct CurlTLSTests {
    @discardableResult
    private func withSecureServer<Result>(
        _ tls: EchoServer.TLS = .init(), http2: Bool = false,
        _ body: (_ url: String, _ authority: TestCertificateAuthority) async throws -> Result
    ) async throws -> Result {
        try await EchoServer.withServer(.init(tls: tls, http2: http2)) { server in
            try await body("https://localhost:\(server.port)", try #require(server.certificateAuthority))
        }
    }

    @Test func trustsWhomItIsToldTo() async throws {
        try await withSecureServer { url, authority in
            let pem = Data(authority.certificatePEM.utf8)
            try await withCurl({ $0.tls.trust = .pem(pem) }) { transport in
                let response = try await transport.send(.get, url + "/get")
                #expect(response.head.status == .ok)
                #expect(response.metrics?.secured != nil)
            }
            let folder = try TemporaryFolder()
            try pem.write(to: folder["trust.pem"])
            try await withCurl({ $0.tls.trust = .file(folder["trust.pem"].path) }) { transport in
                expectEqual(try await transport.send(.get, url + "/get").head.status, .ok)
            }
        }
    }

    /// What TLS has decrypted, no socket shows; and libcurl reads a record at a time.
    @Test(arguments: [
        ["Content-Length: 5\r\n\r\n", "hello|"], ["Content-Length: 5\r\n\r\n", "hello", "|"],
        ["Content-Length: 5\r\n\r\nhello", "|"], ["Content-Length: 0\r\n\r\n", "|"],
        ["Transfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "|"],
        ["Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "|"],
    ])
    func usesNoConnectionOnWhichMoreCameThanTheAnswer(_ records: [String]) async throws {
        let status = "HTTP/1.1 200 OK\r\n"
        let text = records.joined().contains("hello") ? "hello" : ""
        let records = ([status + records[0]] + records[1...]).map { record in
            record.replacing("|", with: status + "Content-Length: 4\r\n\r\nevil")
        }
        try await RecordServer.withServer(records) { url, authority in
            try await withCurl({ $0.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }) { transport in
                for _ in 0..<10 { expectEqual(try await transport.text(.get, url), text) }
            }
        }
    }

    /// Tickets come, too, when TLS is in place (RFC 8446 §4.6.1).
    @Test(arguments: [false, true])
    func usesAConnectionAgainOnWhichNothingElseCame(isLimitedToTLS12: Bool) async throws {
        try await withSecureServer(.init(isLimitedToTLS12: isLimitedToTLS12)) { url, authority in
            try await withCurl({ $0.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }) { transport in
                let paths = ["/get", "/get", "/status/204", "/stream/3", "/bytes/100000", "/get"]
                for (number, path) in paths.enumerated() {
                    let response = try await transport.send(.get, url + path)
                    _ = try await response.body.collect()
                    #expect(response.metrics?.isConnectionReused == (number > 0))
                }
            }
        }
    }

    @Test func trustsNobodyElse() async throws {
        try await withSecureServer { url, _ in
            try await withCurl { transport in
                let error = await #expect(throws: NetworkClientError.self) {
                    try await transport.send(.get, url + "/get")
                }
                #expect(error?.code == .tlsFailed)
                #expect(error?.message.contains("certificate") == true)
            }
            try await withCurl({ $0.tls.dangerouslySkipsVerification = true }) { transport in
                expectEqual(try await transport.send(.get, url + "/get").head.status, .ok)
            }
        }
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: TestCertificateAuthority.ServerCertificate.allCases.filter { $0 != .valid }, [false, true])
    func refusesABadCertificate(
        _ certificate: TestCertificateAuthority.ServerCertificate, overHTTP2 http2: Bool
    ) async throws {
        try await withSecureServer(.init(certificate: certificate), http2: http2) { url, authority in
            try await withCurl({ $0.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }) { transport in
                // One after the other, and several at once: none of them comes upon a connection that was refused.
                for count in [1, 1, 4] {
                    await withTaskGroup { group in
                        for _ in 0..<count {
                            group.addTask {
                                await #expect {
                                    try await transport.send(.get, url + "/get")
                                } throws: {
                                    $0.stage == .tlsFailed
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    @Test func refusesAnotherKeyThanThePinnedOne() async throws {
        try await withSecureServer { url, authority in
            try await withCurl({
                $0.tls.trust = .pem(Data(authority.certificatePEM.utf8))
                $0.tls.pinnedPublicKeys = [Data(count: 32).base64EncodedString()]
            }) { transport in
                await #expect { try await transport.send(.get, url + "/get") } throws: { $0.stage == .tlsFailed }
            }
        }
    }

    @Test func refusesAServerBelowTheMinimumVersion() async throws {
        try await withSecureServer(.init(isLimitedToTLS12: true)) { url, authority in
            try await withCurl({
                $0.tls.trust = .pem(Data(authority.certificatePEM.utf8))
                $0.tls.minimumVersion = .v1_3
            }) { transport in
                await #expect { try await transport.send(.get, url + "/get") } throws: { $0.stage == .tlsFailed }
            }
        }
    }

    /// The end of TLS comes before that of the connection (RFC 8446 §6.1).
    @Test(arguments: [false, true])
    func noticesAConnectionThatWasClosedInOrder(isLimitedToTLS12: Bool) async throws {
        let tls = EchoServer.TLS(isLimitedToTLS12: isLimitedToTLS12)
        try await EchoServer.withServer(.init(tls: tls)) { first in
            let authority = try #require(first.certificateAuthority)
            let url = "https://localhost:\(first.port)"
            try await withCurl({ $0.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }) { transport in
                _ = try await transport.text(.get, url + "/get")
                await first.stop()
                try await Task.sleep(for: .milliseconds(200))
                try await EchoServer.withServer(.init(port: first.port, tls: .init(authority: authority))) { _ in
                    let body = RequestBody.data(Data("once".utf8))
                    let text = try await transport.text(.post, url + "/post", body: body)
                    #expect(text.contains("once"))
                }
            }
        }
    }

    @Test func negotiatesHTTP2AndSharesAConnection() async throws {
        try await withSecureServer(http2: true) { url, authority in
            try await withCurl({ $0.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }) { transport in
                let fresh = try await withThrowingTaskGroup(of: TransportResponse.self) { group in
                    for number in 0..<50 {
                        group.addTask { try await transport.send(.get, url + "/anything/\(number)") }
                    }
                    var fresh = 0
                    for try await response in group {
                        #expect(response.metrics?.httpVersion == "HTTP/2")
                        if response.metrics?.isConnectionReused == false { fresh += 1 }
                        _ = try await response.body.collect()
                    }
                    return fresh
                }
                if CurlVersion.current.sharesConnections { #expect(fresh == 1) }
                let one = try await transport.send(.get, url + "/get") { $0.httpVersion = .http1 }
                #expect(one.metrics?.httpVersion == "HTTP/1.1")
            }
        }
    }

    @Test func opensConnectionsSideBySideWhereHTTP2IsNotNegotiated() async throws {
        try await withSecureServer { url, authority in
            try await withCurl({ $0.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }) { transport in
                try await withThrowingTaskGroup(of: TransportMetrics?.self) { group in
                    for _ in 0..<8 { group.addTask { try await transport.send(.get, url + "/delay/1").metrics } }
                    for try await metrics in group {
                        #expect(metrics?.httpVersion == "HTTP/1.1")
                        // One after the other they would share a connection.
                        #expect(metrics?.isConnectionReused == false)
                    }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [0, 1])
    func aSilentServerHoldsUpNoOther(maximumConnectionsPerHost: Int) async throws {
        let silent = try RawServer.start(script: [.hang])
        defer { silent.stop() }
        try await withSecureServer(http2: true) { url, authority in
            try await withCurl({
                $0.tls.trust = .pem(Data(authority.certificatePEM.utf8))
                $0.maximumConnectionsPerHost = maximumConnectionsPerHost
            }) { transport in
                let timeouts = Timeouts(connect: .seconds(600))
                let waiting = (0..<20).map { _ in
                    Task { try await transport.send(.get, "https://127.0.0.1:\(silent.port)/", timeouts: timeouts) }
                }
                try await silent.wait { $0.connectionCount > 0 }
                try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                    for _ in 0..<10 {
                        group.addTask { try await transport.send(.get, url + "/get", timeouts: timeouts).head.status }
                    }
                    for try await status in group { #expect(status == .ok) }
                }
                if CurlVersion.current.sharesConnections { #expect(silent.log.connectionCount == 1) }
                for task in waiting { task.cancel() }
                for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func theNextOneTriesWhenTheFirstGetsNoConnection() async throws {
        let server = try RawServer.start(script: [.readBytes(1), .close])
        defer { server.stop() }
        try await withCurl { transport in
            await withTaskGroup(of: NetworkClientError.Code?.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        do {
                            _ = try await transport.send(.get, "https://127.0.0.1:\(server.port)/")
                            return nil
                        } catch {
                            return error.stage
                        }
                    }
                }
                for await code in group { #expect(code == .tlsFailed) }
            }
        }
        #expect(server.log.connectionCount == 5)
    }

    @Test func streamsOverHTTP2WithBackpressure() async throws {
        try await withSecureServer(http2: true) { url, authority in
            try await withCurl({ $0.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }) { transport in
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<4 {
                        group.addTask {
                            let response = try await transport.send(.get, url + "/download/10000000")
                            try await Task.sleep(for: .milliseconds(100 * number))
                            var count = 0
                            for try await piece in response.body {
                                count += piece.count
                                if number == 2 { try await Task.sleep(for: .milliseconds(1)) }
                            }
                            return count
                        }
                    }
                    for try await count in group { #expect(count == 10_000_000) }
                }
            }
        }
    }

    @Test func aBodyThatWasDroppedIsNoPartOfTheNextOverHTTP2() async throws {
        try await withSecureServer(http2: true) { url, authority in
            try await withCurl({ $0.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }) { transport in
                let expected = try await transport.send(.get, url + "/download/3000000").body.collect()
                // Has libcurl receive, and keep, what comes for the others that are held back.
                let other = try await transport.send(.get, url + "/download/500000000")
                var pieces = other.body.makeAsyncIterator()
                for _ in 0..<10 {
                    let dropped = try await transport.send(.get, url + "/download/8000000")
                    for _ in 0..<40 { _ = try await pieces.next() }
                    dropped.body.cancel()
                    let response = try await transport.send(.get, url + "/download/3000000")
                    for _ in 0..<40 { _ = try await pieces.next() }
                    let isRight = try await response.body.collect() == expected
                    #expect(isRight)
                }
                other.body.cancel()
            }
        }
    }

    @Test func requestsForHTTP1DoNotMixWithThoseOverHTTP2() async throws {
        try await withSecureServer(http2: true) { url, authority in
            try await withCurl({ $0.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }) { transport in
                let url = url + "/bytes/70000?seed=1"
                let expected = try await transport.send(.get, url).body.collect()
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    // Not many more: after 200 updates of windows that are closed the server ends a connection.
                    for number in 0..<256 {
                        group.addTask {
                            let response = try await transport.send(.get, url) {
                                $0.httpVersion = number % 2 == 0 ? .http1 : .automatic
                            }
                            let version = response.metrics?.httpVersion
                            guard version == (number % 2 == 0 ? "HTTP/1.1" : "HTTP/2") else { return false }
                            return try await response.body.collect() == expected
                        }
                    }
                    for try await isRight in group { #expect(isRight) }
                }
            }
        }
    }

    /// Some versions of libcurl read on when they give up a body, over what they keep for a reader that is slow.
    @Test func aRefusedUploadTakesNothingFromOtherResponses() async throws {
        try await withSecureServer(http2: true) { url, authority in
            try await withCurl({ $0.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }) { transport in
                let expected = try await transport.send(.get, url + "/download/8000000").body.collect()
                for _ in 0..<5 {
                    let slow = try await transport.send(.get, url + "/download/8000000")
                    var iterator = slow.body.makeAsyncIterator()
                    var received = Data()
                    for _ in 0..<8 {
                        let body = RequestBody.stream(
                            length: 8_000_000, make: pieces(Array(repeating: Data(count: 100_000), count: 80)))
                        let refused = try? await transport.send(.post, url + "/status/413", body: body)
                        _ = try? await refused?.body.collect()
                        if let piece = try await iterator.next() { received += piece }
                    }
                    while let piece = try await iterator.next() { received += piece }
                    let isRight = received == expected
                    #expect(isRight)
                }
            }
        }
    }

    @Test func sendsABodyByHTTP1WhereStreamsAreConfused() async throws {
        try await withSecureServer(http2: true) { url, authority in
            try await withCurl({ $0.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }) { transport in
                let uploads = [nil, Int64(4)].map { RequestBody.stream(length: $0, make: pieces([Data("abcd".utf8)])) }
                for body in uploads + [.data(Data(count: 70_000)), .data(Data(count: 1)), .data(Data())] {
                    let response = try await transport.send(.post, url + "/upload", body: body)
                    let isHTTP1 = body.length != 0 && CurlVersion.current.confusesStreams
                    #expect(response.metrics?.httpVersion == (isHTTP1 ? "HTTP/1.1" : "HTTP/2"))
                }
            }
        }
    }

    @Test func uploadsOverHTTP2() async throws {
        try await withSecureServer(http2: true) { url, authority in
            try await withCurl({ $0.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }) { transport in
                let list = (0..<100).map { Data(repeating: UInt8($0), count: 30_000) }
                for length in [nil, Int64(3_000_000)] {
                    let body = RequestBody.stream(length: length, make: pieces(list))
                    let text = try await transport.text(.post, url + "/upload", body: body)
                    #expect(text.contains("3000000"))
                }
            }
        }
    }

    @Test func speaksHTTP2WithPriorKnowledge() async throws {
        try await EchoServer.withServer(.init(http2: true)) { server in
            try await withCurl { transport in
                for number in 0..<5 {
                    let url = "\(server.url)/anything/\(number)"
                    let response = try await transport.send(.get, url) { $0.httpVersion = .http2PriorKnowledge }
                    #expect(response.metrics?.httpVersion == "HTTP/2")
                    #expect(try await response.body.collect().count > 10)
                }
            }
        }
    }
}
