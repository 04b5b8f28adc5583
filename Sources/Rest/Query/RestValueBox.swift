// SPDX-License-Identifier: Apache-2.0

import Observation
import Synchronization

/// The value that a property, its queries and its bindings share.
///
/// It can be observed like an `@Observable` class: code that reads the value within `withObservationTracking`, as views
/// do, is told of the next change.
final class RestValueBox<Value: Sendable>: Observable, Sendable {
    private struct State {
        var value: Value
        /// How many requests have begun.
        var begun = 0
        /// The number of the latest request that has set the value, or confirmed it as it was.
        var settled = 0
    }

    private let state: Mutex<State>
    // Held by who changes the value; it can be read meanwhile.
    private let changing = Mutex(())
    private let observers = ObservationRegistrar()

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    var value: Value {
        get {
            observers.access(self, keyPath: \.value)
            return state.withLock(\.value)
        }
        set { update { $0 = newValue } }
    }

    /// Changes the value in one step: no other change comes in between.
    func update(_ change: (inout Value) -> Void) {
        // The old value ends outside of the locks.
        _ = changing.withLock { _ in
            let old = state.withLock(\.value)
            var value = old
            change(&value)
            state.withLock { $0.value = value }
            return old
        }
        hasChanged()
    }

    /// The number of a request that is about to be sent.
    func begin() -> Int {
        state.withLock { state in
            state.begun += 1
            return state.begun
        }
    }

    /// Sets the value that a request has brought, unless a later request has settled already: responses may overtake
    /// each other.
    func settle(_ request: Int, with value: Value) {
        let old = changing.withLock { _ in
            state.withLock { state -> Value? in
                guard request > state.settled else { return nil }
                state.settled = request
                defer { state.value = value }
                return .some(state.value)
            }
        }
        if old != nil { hasChanged() }
    }

    /// The same for a request that leaves the value as it is.
    func settle(_ request: Int) {
        state.withLock { $0.settled = max($0.settled, request) }
    }

    private func hasChanged() {
        // After the change: a view that is told on another thread reads the new value, whenever it does.
        observers.withMutation(of: self, keyPath: \.value) {}
    }
}
