// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import HTTPTypes
import Testing

@testable import EchoServer

struct EchoRoutesTests {
    private struct Answer: Decodable {
        var method: String
        var target: String
        var args: [[String]]
        var headers: [[String]]
        var body_base64: Data
        var body_length: Int
        var body_sha256: String
    }

    @Test func theRequestIsToldExactly() async throws {
        let name = try #require(HTTPField.Name("x-FOO"))
        let fields = HTTPFields([
            .init(name: name, value: "1"), .init(name: .accept, value: "a"), .init(name: name, value: "2"),
        ])
        let body: [UInt8] = [0, 0xFF, 10]
        let method = try #require(HTTPRequest.Method("QUERY"))
        let answer = try await ask("/echo/a%2Fb?b=1&a&b=%20", method, fields: fields, bytes: body).json(Answer.self)
        #expect(answer.method == "QUERY")
        #expect(answer.target == "/echo/a%2Fb?b=1&a&b=%20")
        #expect(answer.args == [["b", "1"], ["a", ""], ["b", " "]])
        #expect(answer.headers.prefix(3) == [["x-FOO", "1"], ["Accept", "a"], ["x-FOO", "2"]])
        #expect(answer.body_base64 == Data(body))
        #expect(answer.body_length == 3)
        #expect(answer.body_sha256 == SHA256.hash(data: body).hex)
    }
}
