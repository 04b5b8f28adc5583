// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The value that a property, its queries and its bindings share.
final class RestValueBox<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var willChange: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    var value: Value {
        get { state.withLock(\.value) }
        set {
            let willChange = state.withLock(\.willChange)
            willChange?()
            state.withLock { $0.value = newValue }
        }
    }

    /// Called before each change, from wherever it is made.
    func observe(_ willChange: @escaping @Sendable () -> Void) {
        state.withLock { $0.willChange = willChange }
    }
}
