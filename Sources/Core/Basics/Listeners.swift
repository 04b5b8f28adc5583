// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Ends the listening when it is gone, or before by ``end()``.
public final class Listening: Sendable {
    private let action: Mutex<(@Sendable () -> Void)?>

    init(_ action: @escaping @Sendable () -> Void) { self.action = Mutex(action) }

    deinit { end() }

    public func end() { action.withLock { $0.take() }?() }
}

/// Closures that are told of each value, in the order in which they came.
package final class Listeners<Value: Sendable>: Sendable {
    private struct State {
        var actions: [(number: UInt64, action: @Sendable (Value) -> Void)] = []
        var last: UInt64 = 0
    }

    private let state = Mutex(State())
    /// So that a value that nobody wants costs no lock.
    private let count = Atomic(0)

    package init() {}

    package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    package func add(_ action: @escaping @Sendable (Value) -> Void) -> Listening {
        let number = state.withLock { state in
            state.last += 1
            state.actions.append((state.last, action))
            return state.last
        }
        count.wrappingAdd(1, ordering: .relaxed)
        return Listening { [weak self] in self?.remove(number) }
    }

    private func remove(_ number: UInt64) {
        count.wrappingSubtract(1, ordering: .relaxed)
        // The closure ends outside of the lock.
        _ = state.withLock { state in
            state.actions.firstIndex { $0.number == number }.map { state.actions.remove(at: $0) }
        }
    }

    /// The values from now on; of those that are not read, the newest are kept.
    package func stream(keeping count: Int) -> AsyncStream<Value> {
        AsyncStream(bufferingPolicy: .bufferingNewest(count)) { continuation in
            let listening = add { continuation.yield($0) }
            continuation.onTermination = { _ in listening.end() }
        }
    }

    package func tell(_ value: Value) {
        if isEmpty { return }
        for (_, action) in state.withLock(\.actions) { action(value) }
    }
}
