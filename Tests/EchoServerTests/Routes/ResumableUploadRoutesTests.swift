// SPDX-License-Identifier: Apache-2.0

import Crypto
import HTTPTypes
import Testing

@testable import EchoServer

struct ResumableUploadRoutesTests {
    private let router = EchoRouter()
    private let version: HTTPFields = [.tusResumable: "1.0.0"]

    private func make(_ size: Int, query: String = "") async throws -> String {
        var fields = version
        fields[.uploadLength] = "\(size)"
        let response = try await ask("/files\(query)", .post, fields: fields, of: router)
        #expect(response.statusCode == 201)
        return try #require(response.headers[.location])
    }

    private func send(_ bytes: some Sequence<UInt8>, to place: String, at offset: Int) async throws -> EchoAnswer {
        var fields = version
        fields[.uploadOffset] = "\(offset)"
        fields[.contentType] = "application/offset+octet-stream"
        return try await ask(place, .patch, fields: fields, bytes: Array(bytes), of: router)
    }

    @Test func piecesAreJoined() async throws {
        let bytes = SeededBytes.fixed(300_000)
        let place = try await make(bytes.count)
        #expect(try await make(1) != place)
        let first = try await send(bytes.prefix(100_000), to: place, at: 0)
        #expect(first.statusCode == 204 && first.headers[.uploadOffset] == "100000")
        let head = try await ask(place, .head, fields: version, of: router)
        #expect(head.headers[.uploadOffset] == "100000" && head.headers[.uploadLength] == "300000")
        #expect(try await send(bytes.dropFirst(100_000), to: place, at: 100_000).statusCode == 204)
        let text = try await ask(place, of: router).text
        #expect(text.contains("\"bytes\": 300000"))
        #expect(text.contains("\"sha256\": \"\(SHA256.hash(data: bytes).hex)\""))
    }

    @Test func theConnectionBreaksOnceBehindTheBytesThatArrived() async throws {
        let bytes = SeededBytes.fixed(300_000)
        let place = try await make(bytes.count, query: "?drop_after=100000")
        #expect(try await send(bytes, to: place, at: 0).statusCode == 500)
        #expect(try await ask(place, .head, fields: version, of: router).headers[.uploadOffset] == "100000")
        #expect(try await send(bytes.dropFirst(100_000), to: place, at: 100_000).headers[.uploadOffset] == "300000")
    }

    @Test func whatIsNotInOrderIsRefused() async throws {
        let place = try await make(10)
        #expect(try await send([], to: "/files/9", at: 0).statusCode == 404)
        #expect(try await send([1], to: place, at: 1).statusCode == 409)
        #expect(try await send(Array(repeating: 1, count: 11), to: place, at: 0).statusCode == 413)
        #expect(try await ask(place, .patch, fields: version, of: router).statusCode == 415)
        #expect(try await ask(place, .head, of: router).statusCode == 412)
        #expect(try await ask("/files", .post, of: router).statusCode == 412)
        #expect(try await ask("/files", .post, fields: version, of: router).statusCode == 400)
    }
}
