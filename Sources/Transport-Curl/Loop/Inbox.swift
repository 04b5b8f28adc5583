// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport
import Synchronization

/// The commands that other threads leave for the loop, and whether the loop has to be woken for them.
///
/// Whether the loop sleeps is decided under the same lock that guards what is left for it, so no wake-up is lost.
final class Inbox: Sendable {
    enum Phase {
        /// The thread has not been needed yet.
        case idle
        case running
        /// Nothing more is taken; what is under way ends.
        case stopping
        case stopped
    }

    struct State {
        var phase = Phase.idle
        var commands: [Command] = []
        /// Whether the loop waits, and nobody has woken it yet.
        var isParked = false
        var stopWaiters: [UnsafeContinuation<Void, Never>] = []
        var thread: LoopThread?
        /// Where the loop waits, when there is one.
        var queue: EventQueue?
        /// Storage for those who drive the loop from outside.
        var spare: [Resumption] = []

        var isOpen: Bool { phase == .idle || phase == .running }

        /// Wakes the loop when it waits, under the same lock.
        mutating func wake() {
            guard isParked else { return }
            isParked = false
            queue?.wake()
        }
    }

    let state = Mutex(State())
    /// Transfers under way: a hint, read without the lock.
    let live = Atomic(0)

    /// Moves what is there to `commands`, which is empty, and keeps its storage for the next.
    func takeCommands(_ commands: inout [Command]) {
        state.withLock { state in
            if !state.commands.isEmpty { swap(&state.commands, &commands) }
        }
    }

    enum Rest {
        case none, untilWoken, forGood
    }

    /// Called by the loop when it has nothing to do, as far as it knows.
    func park() -> Rest {
        state.withLock { state in
            if state.phase == .stopping { return .forGood }
            guard state.commands.isEmpty else { return .none }
            state.isParked = true
            return .untilWoken
        }
    }

    func unpark() {
        state.withLock { $0.isParked = false }
    }
}
