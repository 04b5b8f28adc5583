// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What tasks ask of the engine, until whoever has its lock takes it: a task that would have to wait for the lock leaves it here and
/// goes on, or waits without a thread.
final class Arrivals: Sendable {
    enum Arrival: Sendable {
        /// A call begins.
        case call(Exchange, Waiter<Void>)
        /// The next piece of the body is asked for.
        case read(Exchange, Waiter<Data?>)
        /// Nobody wants the rest of the body.
        case drop(Exchange)
        /// The call is cancelled.
        case cancel(Exchange)
        /// Anything else.
        case work(@Sendable (Engine) -> Void)
    }

    private let waiting = Mutex<[Arrival]>([])
    private let count = Atomic(0)
    private let added = Atomic(0)

    /// How many there have been.
    var total: Int { added.load(ordering: .relaxed) }

    func add(_ arrival: Arrival) {
        waiting.withLock { waiting in
            waiting.append(arrival)
            added.add(1, ordering: .relaxed)
            count.store(waiting.count, ordering: .relaxed)
        }
    }

    /// Whether none waits. Of those who ask after they have added one, and those who ask after they have released the lock, one at
    /// least sees it, or the other has the lock.
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
