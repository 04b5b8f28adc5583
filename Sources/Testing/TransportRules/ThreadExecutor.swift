// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs each step of a task on a thread of its own: a transport that blocks the one it is called on holds up nothing but its
/// own check. Tasks that a rule begins itself need it too, since they do not inherit it.
final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
