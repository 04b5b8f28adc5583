// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataStreaming
import StrataTesting
import Synchronization
import TestSupport
import Testing

/// A client that is written in three requirements has all that clients have.
struct ClientAroundAClientTests {
    private struct TaggingClient: NetworkClientProtocol {
        let inner: any NetworkClientProtocol

        init(around inner: any NetworkClientProtocol) { self.inner = inner }
        init(configuration: NetworkConfiguration) { inner = NetworkClient(configuration: configuration) }

        var configuration: NetworkConfiguration { inner.configuration }

        func execute(_ request: TransportRequest) async throws -> TransportResponse {
            var request = request
            request.head.headerFields[.userAgent] = "tagged"
            return try await inner.execute(request)
        }
    }

    struct Feature: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reply: ScriptedReply
        /// Gives back what arrived.
        let use: @Sendable (any NetworkClientProtocol) async throws -> String

        init(
            _ name: String, _ reply: ScriptedReply,
            use: @escaping @Sendable (any NetworkClientProtocol) async throws -> String
        ) {
            testDescription = name
            self.reply = reply
            self.use = use
        }
    }

    private static let request = PlainRequest(path: "a", method: .get)

    static let features: [Feature] = [
        Feature("run", .json("[1]")) {
            "\(try await $0.run(NetworkRequest<VoidRequest, [Int]>(path: "a", method: .get)).value)"
        },
        Feature("open", .text("x")) {
            String(decoding: try await $0.open(request).body.collect(), as: UTF8.self)
        },
        Feature("execute", .text("x")) {
            let response = try await $0.execute(try $0.makeTransportRequest(request))
            return String(decoding: try await response.body.collect(), as: UTF8.self)
        },
        Feature("bytes", .text("x")) {
            var bytes: [UInt8] = []
            for try await byte in try await $0.bytes(for: request) { bytes.append(byte) }
            return String(decoding: bytes, as: UTF8.self)
        },
        Feature("lines", .text("x\ny")) {
            var lines: [String] = []
            for try await line in try await $0.lines(for: request) { lines.append(line) }
            return lines.joined(separator: "+")
        },
        Feature("jsonLines", .text("1\n2\n")) {
            var values: [Int] = []
            for try await value in try await $0.jsonLines(for: request, decoding: Int.self) { values.append(value) }
            return "\(values)"
        },
        Feature("events", .events("data: x\n\n")) {
            var data: [String] = []
            for try await event in try await $0.events(for: request) { data.append(event.data) }
            return "\(data)"
        },
        Feature("eventSource", .events("data: x\n\n")) {
            for try await event in try $0.eventSource(for: request) { return event.data }
            return "nothing"
        },
        Feature("download", .text("x")) {
            let folder = try TemporaryFolder()
            try await $0.download(request, to: folder["a"])
            return try folder.text("a")
        },
        Feature("upload", .json("2")) {
            let upload = NetworkRequest<String, Int>(path: "a", method: .put, body: "body")
            return "\(try await $0.run(upload, uploadProgress: ProgressUpdates()).value)"
        },
    ]

    @Test(arguments: features) func hasTheFeature(_ feature: Feature) async throws {
        let plain = ScriptedTransport(feature.reply)
        let wrapped = ScriptedTransport(feature.reply)
        let expected = try await feature.use(NetworkClient(plain))
        #expect(try await feature.use(TaggingClient(around: NetworkClient(wrapped))) == expected)
        #expect(plain.requests.map { $0["user-agent"] != "tagged" } == [true])
        #expect(wrapped.requests.map { $0["user-agent"] } == ["tagged"])
    }
}
