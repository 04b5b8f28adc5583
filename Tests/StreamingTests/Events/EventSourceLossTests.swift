// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataStreaming
import StrataTesting
import Synchronization
import Testing

/// No event is lost and none comes twice, when the server goes on behind the identifier that it is told.
struct EventSourceLossTests {
    /// A server with numbered events that drops every connection at a random byte.
    private final class DroppingServer: Sendable {
        let count: Int
        private let generator: Mutex<SeededGenerator>

        init(count: Int, seed: UInt64) {
            self.count = count
            generator = Mutex(SeededGenerator(seed: seed))
        }

        /// In one of the many ways to write an event.
        func text(of number: Int, using generator: inout SeededGenerator) -> String {
            let end = ["\n", "\r\n", "\r"].randomElement(using: &generator) ?? "\n"
            var lines = ["id: \(number)", "data: event", "data: \(number) \u{20AC}"]
            if Bool.random(using: &generator) { lines.append(": still here") }
            if Bool.random(using: &generator) { lines.swapAt(0, 2) }
            if lines[0].hasPrefix("data: \(number)") { lines.swapAt(0, 1) }
            return (lines + ["", ""]).joined(separator: end)
        }

        func answer(_ request: RecordedRequest) throws -> ScriptedReply {
            try generator.withLock { generator in
                if Int.random(in: 0..<20, using: &generator) == 0 {
                    throw NetworkClientError(.cannotConnect, "refused")
                }
                let first = request["last-event-id"].flatMap { Int($0) }.map { $0 + 1 } ?? 0
                guard first < count else { return .status(204) }
                var body = Data()
                for number in first..<min(first + 40, count) {
                    body.append(contentsOf: text(of: number, using: &generator).utf8)
                }
                body = body.prefix(Int.random(in: 0...body.count, using: &generator))
                let failure = Bool.random(using: &generator) ? NetworkClientError(.connectionLost, "dropped") : nil
                return .pieces(
                    Data(body).rechunked(.random(seed: generator.next()))[0],
                    fields: [.contentType: "text/event-stream"],
                    failure: failure)
            }
        }
    }

    @Test(arguments: [1, 2, 3])
    func tenThousandEventsOverConnectionsThatDropAtARandomByte(_ seed: UInt64) async throws {
        let server = DroppingServer(count: 10_000, seed: seed)
        let transport = ScriptedTransport { try server.answer($0) }
        let clock = VirtualClock()
        let source = try NetworkClient(transport, clock: clock)
            .eventSource(for: PlainRequest(path: "events", method: .get))
        var next = 0
        for try await event in source {
            // The first that is not as it should be says more than ten thousand that are compared at the end.
            try #require(event.data.utf8.elementsEqual("event\n\(next) \u{20AC}".utf8))
            try #require(event.id == "\(next)")
            next += 1
        }
        #expect(next == 10_000)
        #expect(transport.requests.count > 400)
        #expect(clock.sleeps.count == transport.requests.count - 1)
    }
}
