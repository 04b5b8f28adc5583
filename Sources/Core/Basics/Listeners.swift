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
        var actions: [(number: UInt64, action: @Sendable (Value) -> Void, atEnd: (@Sendable () -> Void)?)] = []
        var last: UInt64 = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    /// So that a value that nobody wants costs no lock.
    private let count = Atomic(0)

    package init() {}

    package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    deinit { finish() }

    /// - `atEnd`: called when no value will come any more.
    package func add(
        _ action: @escaping @Sendable (Value) -> Void, atEnd: (@Sendable () -> Void)? = nil
    ) -> Listening {
        let number = state.withLock { state -> UInt64? in
            if state.isFinished { return nil }
            state.last += 1
            state.actions.append((state.last, action, atEnd))
            return state.last
        }
        guard let number else {
            atEnd?()
            return Listening {}
        }
        count.wrappingAdd(1, ordering: .relaxed)
        return Listening { [weak self] in self?.remove(number) }
    }

    private func remove(_ number: UInt64) {
        // The closures end outside of the lock.
        let removed = state.withLock { state in
            state.actions.firstIndex { $0.number == number }.map { state.actions.remove(at: $0) }
        }
        if removed != nil { count.wrappingSubtract(1, ordering: .relaxed) }
    }

    /// No value will come any more.
    package func finish() {
        let actions = state.withLock { state in
            state.isFinished = true
            defer { state.actions = [] }
            return state.actions
        }
        count.wrappingSubtract(actions.count, ordering: .relaxed)
        for (_, _, atEnd) in actions { atEnd?() }
    }

    /// The values from now on, until the listeners are gone, or are told that none will come; of those that are not read, the newest
    /// are kept.
    package func stream(keeping count: Int) -> AsyncStream<Value> {
        AsyncStream(bufferingPolicy: .bufferingNewest(count)) { continuation in
            let listening = add {
                continuation.yield($0)
            } atEnd: {
                continuation.finish()
            }
            continuation.onTermination = { _ in listening.end() }
        }
    }

    package func tell(_ value: Value) {
        if isEmpty { return }
        for (_, action, _) in state.withLock(\.actions) { action(value) }
    }
}
