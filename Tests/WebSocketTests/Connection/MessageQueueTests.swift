// SPDX-License-Identifier: Apache-2.0

import StrataTesting
import TestSupport
import Testing

@testable import StrataWebSocket

struct MessageQueueTests {
    /// Another task runs on the reader's thread before the reader has taken all messages, and none is lost by that.
    @Test func leavesTheThreadToOthersWhileMessagesAreThere() async throws {
        let queue = MessageQueue()
        for number in 0..<1000 { queue.put(.text("\(number)")) }
        queue.end(.success(()))
        let (thread, hasRun) = (OneThread(), Flag())
        let reader = Task(executorPreference: thread) {
            // It is behind this task in the line for the thread.
            let other = Task(executorPreference: thread) { hasRun.set() }
            var taken: [WebSocket.Message] = []
            var hasWaited = false
            while let message = try await queue.next() {
                taken.append(message)
                if taken.count == 999 { hasWaited = hasRun.isSet }
            }
            await other.value
            return (taken, hasWaited)
        }
        let (taken, hasWaited) = try await reader.value
        #expect(taken == (0..<1000).map { .text("\($0)") })
        #expect(hasWaited)
    }
}
