// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import StrataNative

struct EventQueueReadyTests {
    /// However little time a batch has, each socket has its turn once before any has it again.
    @Test(arguments: 0...5) func eachIsVisitedOnceInAsManyBatchesAsItTakes(_ countInABatch: Int) throws {
        let queue = try #require(EventQueue())
        let pipes = (0..<5).map { _ in Pipe() }
        for (token, pipe) in pipes.enumerated() {
            try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
            #expect(queue.add(pipe.fileHandleForReading.fileDescriptor, .input, token: UInt64(token)))
        }
        var ready = EventQueue.Ready()
        defer { ready.free() }
        #expect(ready.areAllVisited)
        // What has come is still there when it is looked for again.
        for _ in 0..<2 {
            queue.wait(&ready, atMost: nil)
            var (visited, batches): ([UInt64], Int) = ([], 0)
            while !ready.areAllVisited {
                var left = countInABatch
                batches += 1
                ready.visit {
                    left -= 1
                    return left > 0
                } _: { token, happened in
                    visited.append(token)
                    #expect(happened.contains(.input))
                }
            }
            #expect(visited.sorted() == [0, 1, 2, 3, 4])
            #expect(batches == [5, 5, 3, 2, 2, 1][countInABatch])
        }
        for pipe in pipes { queue.remove(pipe.fileHandleForReading.fileDescriptor) }
    }
}
