// SPDX-License-Identifier: Apache-2.0

import Crypto
import HTTPTypes
import Testing

@testable import EchoServer

struct UploadRoutesTests {
    @Test func bodiesAreCountedAndHashed() async throws {
        let body = SeededBytes.fixed(300_000)
        let response = try await ask("/upload", .put, fields: [.contentType: "x/y"], bytes: body)
        #expect(response.text.contains("\"bytes\": 300000"))
        #expect(response.text.contains("\"sha256\": \"\(SHA256.hash(data: body).hex)\""))
        #expect(response.text.contains("\"content_type\": \"x/y\""))
        #expect(try await ask("/upload?delay_ms=x", .post).statusCode == 400)
    }
}
