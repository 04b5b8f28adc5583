// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import Synchronization
import TestSupport
import Testing

@testable import StrataWebSocket

struct WebSocketEngineTests {
    /// The same bytes again and again, at once, until it is told to end.
    private final class Flood: ExecutorConnection {
        let executor: (any TaskExecutor)?
        private let bytes: Data
        private let count = Mutex(0)
        let isOver = Flag()

        init(_ bytes: [UInt8], on executor: any TaskExecutor) {
            self.bytes = Data(bytes)
            self.executor = executor
        }

        func read() async throws -> Data? {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return isOver.isSet || number > 100_000 ? nil : bytes
        }

        func write(_ bytes: Data) async throws {}
        func closeOutput() async throws {}
        func cancel() { isOver.set() }
    }

    /// Nobody takes control frames, and so nothing waits for room.
    @Test(arguments: [UInt8(0x89), 0x8a]) func aFloodOfPingsAndPongsLeavesTheThreadToOthers(kind: UInt8) async throws {
        let thread = OneThread()
        let flood = Flood([kind, 0x01, 0x61], on: thread)
        let hasRun = Flag()
        let engine = WebSocketEngine(
            ByteChannel(flood), role: .client, terms: nil, clock: VirtualClock(), options: .init(ping: .never))
        // It is behind the engine's reader in the line for the thread.
        let other = Task(executorPreference: thread) {
            if !flood.isOver.isSet { hasRun.set() }
            flood.isOver.set()
        }
        await engine.waitForEnd()
        await other.value
        #expect(hasRun.isSet)
    }
}
