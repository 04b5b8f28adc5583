// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import StrataCore
import StrataStreaming
import Synchronization

/// An actor that knows what runs on it.
actor Caller {
    final class Executor: SerialExecutor {
        private let queue = DispatchQueue(label: "Caller")
        private let thread = Mutex<ObjectIdentifier?>(nil)

        /// Whether who asks is in a job of the actor.
        var isRunningHere: Bool { thread.withLock { $0 == ObjectIdentifier(Thread.current) } }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { [self] in
                thread.withLock { $0 = ObjectIdentifier(Thread.current) }
                job.runSynchronously(on: asUnownedSerialExecutor())
                thread.withLock { $0 = nil }
            }
        }
    }

    nonisolated let executor = Executor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func read(_ request: PlainRequest, by client: NetworkClient) async throws {
        _ = try await client.open(request).body.collect()
    }

    func download(_ request: PlainRequest, by client: NetworkClient, to url: URL) async throws {
        try await client.download(request, to: url)
    }
}
