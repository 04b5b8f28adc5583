// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts what is under way, and lets nothing new in once it is closed. What waits inside is told when it is to end.
package final class CallGate: Sendable {
    /// Twice the count, and 1 more when the gate is closed.
    private let state = Atomic(0)
    private let owner: String
    private let waits = Listeners<Void>()

    /// Whether this task does what a call under way waits for, such as renewing its credential.
    @TaskLocal package static var servesACall = false

    /// - Parameter owner: what is drained, for the error.
    package init(of owner: String) { self.owner = owner }

    /// - Throws: `transportShutDown` when the gate is closed.
    package func enter(servesACall: @autoclosure () -> Bool = false) throws {
        guard state.add(2, ordering: .acquiringAndReleasing).oldValue & 1 == 1, !servesACall() else { return }
        leave()
        throw drained
    }

    private var drained: NetworkClientError {
        NetworkClientError(
            .transportShutDown, "the \(owner) is being drained: what is under way ends, and nothing new begins")
    }

    package func leave() { state.subtract(2, ordering: .acquiringAndReleasing) }

    package func close() { state.bitwiseOr(1, ordering: .acquiringAndReleasing) }

    /// Calls `action` when ``endWaits()`` is called, at once if it was, unless the returned value is gone before.
    package func onWaitsEnd(_ action: @escaping @Sendable (NetworkClientError) -> Void) -> Listening {
        waits.add({ _ in }, atEnd: { [drained] in action(drained) })
    }

    /// What waits ends, and nothing begins to wait any more.
    package func endWaits() { waits.finish() }

    package var isEmpty: Bool { state.load(ordering: .acquiring) < 2 }
}

extension SystemClock {
    /// Waits until `isOver`, at most until the limit passes or the task is cancelled.
    package func wait(within limit: Duration, until isOver: () -> Bool) async {
        let end = now + limit
        while !isOver(), now < end, (try? await sleep(for: .milliseconds(5))) != nil {}
    }
}
