// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import TestSupport
import Testing

@testable import StrataNative

/// The wire vectors whose server only sends, over the reader alone: whole, and byte by byte.
struct ResponseVectorTests {
    private static let file = "wire/wire-http1.json"

    private struct Case: Decodable {
        struct Server: Decodable {
            struct Exchange: Decodable { var `do`: [[String: Value]] }
            var exchanges: [Exchange]?
            var accept: Value?
            var tls: Value?
        }
        struct Expectation: Decodable {
            var outcome: String
            var status: Int?
            var body: String?
            var headers: [String: String]?
            var headers_absent: [String]?
            var error_kinds: [String]?
        }
        struct Request: Decodable {
            var method: String
        }
        var id: String
        var level: String?
        var servers: [String: Server]
        var expect: Expectation
        var request: Request?

        /// What the server sends before it closes; `nil` when it does more than that.
        var sent: [UInt8]? {
            guard servers.count == 1, let server = servers.values.first, server.tls == nil, server.accept == nil,
                let exchanges = server.exchanges, exchanges.count == 1
            else { return nil }
            var bytes: [UInt8] = []
            for step in exchanges[0].do {
                if let text = step["send"]?.text ?? step["send_utf8"]?.text ?? step["drip"]?.text {
                    bytes +=
                        step["send_utf8"] == nil
                        ? text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(text.utf8)
                } else if let data = step["send_b64"]?.text.flatMap({ Data(base64Encoded: $0) }) {
                    bytes += data
                } else if let text = step["repeat"]?.text, let count = step["count"]?.number {
                    bytes += Array(String(repeating: text, count: min(count, 10_000)).utf8)
                } else if step["close"] == nil, step["sleep_ms"] == nil, step["reset"] == nil {
                    return nil
                }
            }
            return bytes
        }
    }

    private struct Value: Decodable {
        var text: String?
        var number: Int?
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            text = try? container.decode(String.self)
            number = try? container.decode(Int.self)
        }
    }

    /// The codes that stand for the kinds of errors.
    private static func kind(_ code: NetworkClientError.Code?) -> Set<String> {
        code == .protocolViolation ? ["protocol", "limit"] : ["truncated", "closed", "connection"]
    }

    @Test(.vectors(file)) func readsWhatServersSend() async throws {
        var judged = 0
        for test in try Vectors.cases(Self.file, of: Case.self) {
            guard let bytes = test.sent, let method = HTTPMethod(test.request?.method ?? "GET") else { continue }
            judged += 1
            for pieces in [[bytes], bytes.pieces(of: 1)] {
                let reading = Reading.of(pieces, method)
                await Vectors.judge(test.id, test.level) { Self.check(test, reading) }
            }
        }
        #expect(judged > 0)
    }

    private static func check(_ test: Case, _ reading: Reading) {
        let expect = test.expect
        if reading.error != nil || expect.outcome == "error" {
            #expect(reading.error != nil, "\(test.id) is no error")
            #expect(expect.outcome != "success", "\(test.id): \(reading.message ?? "")")
            let kinds = expect.error_kinds.map { Set($0) }
            #expect(
                kinds.map { !$0.isDisjoint(with: kind(reading.error)) } ?? true,
                "\(test.id): \(String(describing: reading.error))")
            return
        }
        #expect(reading.isWhole, "\(test.id)")
        if let status = expect.status { #expect(reading.head?.status.code == status, "\(test.id)") }
        if let body = expect.body { #expect(reading.body == Array(body.utf8), "\(test.id)") }
        for (name, value) in expect.headers ?? [:] {
            #expect(HTTPField.Name(name).flatMap { reading.head?.headerFields[$0] } == value, "\(test.id)")
        }
        for name in expect.headers_absent ?? [] {
            #expect(HTTPField.Name(name).flatMap { reading.head?.headerFields[$0] } == nil, "\(test.id)")
        }
    }
}
