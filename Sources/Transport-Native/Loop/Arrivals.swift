// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport
import Synchronization

/// Calls that have begun, until whoever has the engine's lock takes them: a task that would have to wait for the lock leaves its call
/// here and goes on.
final class Arrivals: Sendable {
    struct Arrival {
        let exchange: Exchange
        let caller: Waiter<Void>
    }

    private let waiting = Mutex<[Arrival]>([])
    private let count = Atomic(0)
    private let added = Atomic(0)

    /// How many there have been.
    var total: Int { added.load(ordering: .relaxed) }

    func add(_ exchange: Exchange, _ caller: Waiter<Void>) {
        waiting.withLock { waiting in
            waiting.append(Arrival(exchange: exchange, caller: caller))
            added.add(1, ordering: .relaxed)
            count.store(waiting.count, ordering: .relaxed)
        }
    }

    /// Whether none waits. Of those who ask after they have added a call, and those who ask after they have released the lock, one at
    /// least sees the call, or the other has the lock.
    var isEmpty: Bool {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return count.load(ordering: .relaxed) == 0
    }

    /// Hands out those that wait, in the order in which they came.
    ///
    /// - Parameter spare: empty; its memory is used for those that come next.
    func take(_ spare: inout [Arrival]) {
        guard count.load(ordering: .relaxed) > 0 else { return }
        waiting.withLock { waiting in
            swap(&waiting, &spare)
            count.store(0, ordering: .relaxed)
        }
    }
}
