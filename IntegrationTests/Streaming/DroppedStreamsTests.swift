// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataStreaming
import StrataTesting
import Testing

/// A server that drops every connection at a random byte, and goes on behind the identifier that it is told.
@Suite(.timeLimit(.minutes(2)))
struct DroppedStreamsTests {
    private static let count = 10_000

    /// One script a connection, and the identifier that the request for it has to bring: that of the last event that went out
    /// whole on the one before.
    private struct Plan {
        var scripts: [RawScript] = []
        var identifiers: [[String]] = []

        init(seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            var next = 0
            while next < DroppedStreamsTests.count {
                identifiers.append(next == 0 ? [] : ["\(next - 1)"])
                var body: [UInt8] = []
                var ends: [Int] = []
                for number in next..<min(next + 60, DroppedStreamsTests.count) {
                    body += "id: \(number)\ndata: event\ndata: \(number) \u{20AC}\n\n".utf8
                    ends.append(body.count)
                }
                let cut = Int.random(in: 0...body.count, using: &generator)
                next += ends.count { $0 <= cut }
                // Announced or not: a broken body, or one that ends in good order.
                let length = Bool.random(using: &generator) ? "Content-Length: \(body.count + 1)\r\n" : ""
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\(length)\r\n"
                scripts.append([.readRequest, .send(Array(head.utf8) + body[..<cut]), .close])
            }
            identifiers.append(["\(next - 1)"])
            scripts.append([.readRequest, .send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"), .close])
        }
    }

    @Test(arguments: [1, 2]) func noEventOfTenThousandIsLostOrDoubled(_ seed: UInt64) async throws {
        let plan = Plan(seed: seed)
        let server = try RawServer.start(scripts: plan.scripts, then: .close)
        defer { server.stop() }
        try await withCurl { transport in
            let client = NetworkClient(
                configuration: NetworkConfiguration(baseURL: URL(string: server.url), transport: transport))
            var policy = ReconnectionPolicy()
            policy.initialDelay = .zero
            policy.maximumDelay = .zero
            let request = NetworkRequest<VoidRequest, VoidResponse>(path: "events", method: .get)
            var next = 0
            for try await event in try client.eventSource(for: request, reconnection: policy) {
                try #require(event.id == "\(next)" && event.data.utf8.elementsEqual("event\n\(next) \u{20AC}".utf8))
                next += 1
            }
            #expect(next == Self.count)
            #expect(server.log.requests.map { $0.values(of: "Last-Event-ID") } == plan.identifiers)
        }
    }
}
