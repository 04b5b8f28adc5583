// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

/// A response that is no stream has a body that nobody asked for: it holds no call up, although no timeout is set.
struct UnaskedBodyTests {
    private struct Reader: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let status: Int
        let code: NetworkClientError.Code
        let open: @Sendable (NetworkClient, PlainRequest) async throws -> Void
    }

    private static let readers = [
        Reader(testDescription: "events, status", status: 500, code: .unacceptableStatus) {
            _ = try await $0.events(for: $1)
        },
        Reader(testDescription: "events, type", status: 200, code: .unacceptableContentType) {
            _ = try await $0.events(for: $1)
        },
        Reader(testDescription: "JSON Lines, type", status: 200, code: .unacceptableContentType) {
            _ = try await $0.jsonLines(for: $1, decoding: String.self)
        },
        Reader(testDescription: "lines, status", status: 404, code: .unacceptableStatus) {
            _ = try await $0.lines(for: $1)
        },
        Reader(testDescription: "bytes, status", status: 404, code: .unacceptableStatus) {
            _ = try await $0.bytes(for: $1)
        },
        Reader(testDescription: "an event source, status", status: 500, code: .unacceptableStatus) {
            _ = try await $0.eventSource(for: $1).all()
        },
        Reader(testDescription: "an event source, type", status: 200, code: .unacceptableContentType) {
            _ = try await $0.eventSource(for: $1).all()
        },
        Reader(testDescription: "a download, status", status: 403, code: .unacceptableStatus) { client, request in
            let folder = try TemporaryFolder()
            _ = try await client.download(request, to: folder["file"])
        },
    ]

    @Test(arguments: readers) private func aSilentBodyHoldsNobodyUp(_ reader: Reader) async throws {
        let clock = VirtualClock()
        let source = HangingSource("word") { clock.advance(by: .seconds(1)) }
        let transport = ScriptedTransport(
            .source(status: reader.status, fields: [.contentType: "image/png"]) { source })
        let request = PlainRequest(path: "x", method: .get) { $0.timeouts.idle = nil }
        let error = await #expect(throws: NetworkClientError.self) {
            try await reader.open(NetworkClient(transport, clock: clock), request)
        }
        #expect(error?.code == reader.code && error?.body == Data("word".utf8))
        #expect(source.isCancelled && clock.now == .seconds(1))
    }
}
