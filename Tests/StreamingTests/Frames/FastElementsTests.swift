// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataStreaming
import StrataTesting
import Synchronization
import TestSupport
import Testing

/// Loops whose next element is always there.
struct FastElementsTests {
    /// The same piece again and again, at once, until it is told to end.
    private final class Endless: BodySource {
        private let piece: Data
        private let count = Mutex(0)
        let isOver = Flag()

        init(_ piece: String) { self.piece = Data(piece.utf8) }

        func next() async throws -> Data? {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return isOver.isSet || number > 100_000 ? nil : piece
        }

        func cancel() {}
    }

    private static let loops: [(String, String, @Sendable (NetworkClient, PlainRequest) async throws -> Void)] = [
        (
            "pieces", "x",
            { for try await _ in try await $0.open($1).body {} }
        ),
        ("bytes", "x", { for try await _ in try await $0.bytes(for: $1) {} }),
        ("events", "data: x\n\n", { for try await _ in try await $0.events(for: $1) {} }),
        ("lines", "x\n", { for try await _ in try await $0.lines(for: $1) {} }),
        ("lines that never end", "x", { for try await _ in try await $0.lines(for: $1, maximumLength: .max) {} }),
        ("JSON Lines", "1\n", { for try await _ in try await $0.jsonLines(for: $1, decoding: Int.self) {} }),
    ]

    /// Another task runs on the loop's thread before the loop has come to its end.
    @Test(arguments: loops.indices) func leaveTheirThreadToOthersNowAndThen(index: Int) async throws {
        let (name, piece, loop) = Self.loops[index]
        let source = Endless(piece)
        let fields: HTTPFields = name == "events" ? [.contentType: "text/event-stream"] : [:]
        let client = NetworkClient(ScriptedTransport(.source(fields: fields) { source }))
        let (thread, hasRun) = (OneThread(), Flag())
        let reader = Task(executorPreference: thread) {
            // It is behind this task in the line for the thread.
            let other = Task(executorPreference: thread) {
                hasRun.set()
                source.isOver.set()
            }
            try await loop(client, PlainRequest(path: "x", method: .get))
            let hasRun = hasRun.isSet
            await other.value
            return hasRun
        }
        #expect(try await reader.value, "\(name)")
    }
}
