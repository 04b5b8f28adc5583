// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

struct MediaTypeTests {
    @Test(
        arguments: [
            [.contentType: "text/event-stream", .contentType: "text/event-stream"],
            [.contentType: "text/plain, text/event-stream; charset=utf-8"],
        ] as [HTTPFields])
    func theLastTypeOfAnEventStreamCounts(fields: HTTPFields) async throws {
        let transport = ScriptedTransport(.pieces([Data("data: 1\n\n".utf8)], fields: fields))
        let events = try await NetworkClient(transport).events(for: PlainRequest(path: "/", method: .get))
        #expect(try await events.all().map(\.data) == ["1"])
    }

    @Test func anElementIsOfOneTypeThoughItsStreamHasTwo() async throws {
        let type = "application/x-ndjson; charset=utf-8"
        let fields: HTTPFields = [.contentType: type, .contentType: type]
        let transport = ScriptedTransport(.pieces([Data("{\"a\":1}\n".utf8)], fields: fields))
        let request = PlainRequest(path: "/", method: .get, decoder: DynamicContentTypeDecoder())
        var elements: [[String: Int]] = []
        for try await element in try await NetworkClient(transport).jsonLines(
            for: request, decoding: [String: Int].self)
        {
            elements.append(element)
        }
        #expect(elements == [["a": 1]])
    }
}
