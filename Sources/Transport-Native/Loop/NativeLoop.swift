// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport

/// The owner's end of a loop: when the transport, every body from it and every task that prefers it are gone, the loop's thread ends.
///
/// As an executor it runs tasks on that thread, between the batches of what comes.
final class NativeLoop: TaskExecutor {
    let core: LoopCore
    /// The memory of bodies.
    let segments = SegmentPool(limit: 64)

    init(_ settings: Settings) { core = LoopCore(settings, segments: segments) }

    deinit { core.requestStop() }

    /// Does something with the engine, under the loop's lock.
    func run<Result: Sendable>(_ body: (Engine) -> Result) -> Result { core.run(body) }

    func enqueue(_ job: consuming ExecutorJob) { core.enqueue(UnownedJob(job), of: self) }

    /// Whether the task that asks prefers this loop.
    var isPreferred: Bool {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor == asUnownedTaskExecutor() }
    }
}
