// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Testing

struct ExchangeRecordTests {
    @Test func anAttemptShowsNoFieldAndNoQuery() async throws {
        let request = try TransportRequest(
            url: "https://a.example/1?token=secret", headerFields: [.authorization: "Bearer secret"])
        let attempts = try await makeClient(ScriptedTransport()).execute(request).exchange.attempts
        var dumped = ""
        dump(attempts, to: &dumped)
        for text in ["\(attempts)", "\(attempts[0])", dumped] {
            #expect(text.contains("first: GET https://a.example/1 -> 200 in 0 ms"))
            #expect(!text.contains("secret"))
        }
    }

    @Test(arguments: [nil: "", false: "", true: " reused"] as [Bool?: String])
    func saysWhetherTheConnectionWasUsedBefore(_ isReused: Bool?, _ word: String) async throws {
        struct Metered: NetworkTransport {
            let capabilities = TransportCapabilities(name: "metered")
            let isReused: Bool?

            func send(_ request: TransportRequest) async throws -> TransportResponse {
                var metrics = TransportMetrics()
                (metrics.httpVersion, metrics.isConnectionReused) = ("HTTP/2", isReused)
                return TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody(Data()), metrics: metrics)
            }
        }
        let client = makeClient(ScriptedTransport()) { $0.transport = Metered(isReused: isReused) }
        let attempt = try #require(
            try await client.execute(TransportRequest(url: "https://h/")).exchange.attempts.first)
        #expect("\(attempt)".contains("-> 200 HTTP/2\(word) in "))
    }

    @Test(arguments: [false, true])
    func theTransportsNumbersAreCompletedAtTheEndOfTheBody(breaksOff: Bool) async throws {
        struct Metered: NetworkTransport {
            let capabilities = TransportCapabilities(name: "metered")
            let failure: NetworkClientError?

            func send(_ request: TransportRequest) async throws -> TransportResponse {
                var metrics = TransportMetrics()
                metrics.firstByte = .seconds(1)
                let source = PiecesSource([Data("ab".utf8), Data("c".utf8)], failure: failure)
                var response = TransportResponse(
                    head: HTTPResponse(status: .ok), body: ResponseBody(source: source), metrics: metrics)
                response.metrics?.contentEncoding = "gzip"
                response.finalMetrics = { [metrics] in
                    guard source.remaining == 0 else { return nil }
                    var metrics = metrics
                    metrics.total = .seconds(3)
                    metrics.encodedBytesReceived = 30
                    return metrics
                }
                return response
            }
        }
        let transport = Metered(failure: breaksOff ? NetworkClientError(.connectionLost, "lost") : nil)
        let client = makeClient(ScriptedTransport()) { $0.transport = transport }
        let response = try await client.execute(TransportRequest(url: "https://h/"))
        #expect(response.exchange.attempts[0].metrics == response.metrics)
        if breaksOff {
            await #expect(throws: NetworkClientError.self) { try await response.body.collect() }
        } else {
            #expect(try await response.body.collect() == Data("abc".utf8))
        }
        let metrics = try #require(response.exchange.attempts[0].metrics)
        #expect(metrics.firstByte == .seconds(1))
        #expect(metrics.total == .seconds(3))
        #expect(metrics.encodedBytesReceived == 30)
        #expect(metrics.contentEncoding == "gzip")
    }
}
