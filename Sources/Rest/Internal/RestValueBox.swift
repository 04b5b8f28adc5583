// SPDX-License-Identifier: Apache-2.0

import Observation
import Synchronization

/// The value that a property, its queries and its bindings share.
///
/// It is observed as an `@Observable` class is: who reads the value in `withObservationTracking`, as views do, learns of its next
/// change.
final class RestValueBox<Value: Sendable>: Observable, Sendable {
    private let state: Mutex<Value>
    // Held by who changes the value; it can be read meanwhile.
    private let changing = Mutex(())
    private let observers = ObservationRegistrar()

    init(_ value: Value) {
        state = Mutex(value)
    }

    var value: Value {
        get {
            observers.access(self, keyPath: \.value)
            return state.withLock { $0 }
        }
        set { update { $0 = newValue } }
    }

    /// Changes the value in one step: no other change comes in between.
    func update(_ change: (inout Value) -> Void) {
        // The old value ends outside of the locks.
        _ = changing.withLock { _ in
            let old = state.withLock { $0 }
            var value = old
            change(&value)
            state.withLock { $0 = value }
            return old
        }
        // After the change: a view that is told on another thread reads the new value, whenever it does.
        observers.withMutation(of: self, keyPath: \.value) {}
    }
}
