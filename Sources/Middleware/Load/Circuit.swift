// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// The state of one circuit: closed, open or half open. Knows no time but the one that it is given.
struct Circuit: LoadEntry, Sendable {
    private enum Phase: Sendable {
        case closed
        case open(until: Duration)
        /// Some calls are let through to see whether the server has recovered.
        case halfOpen(probes: Int, successes: Int)
    }

    /// What a call that was let through says when it is over.
    struct Pass: Sendable {
        /// Of the phase in which it was let through: what has begun before says nothing of a later one.
        fileprivate let phase: UInt64
    }

    enum Outcome {
        case success
        case failure
        /// Says nothing of the server: cancelled, or not sent.
        case none
    }

    private let thresholds: CircuitBreakerMiddleware.Thresholds
    private var phase = Phase.closed
    private var number: UInt64 = 0
    private var window: OutcomeWindow
    private var underWay = 0

    init(_ thresholds: CircuitBreakerMiddleware.Thresholds) {
        self.thresholds = thresholds
        window = OutcomeWindow(length: thresholds.window)
    }

    var isIdle: Bool { underWay == 0 }
    var callsUnderWay: Int { underWay }

    var state: CircuitState {
        switch phase {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        }
    }

    /// Until when nothing is let through; `nil` while something is.
    var openUntil: Duration? {
        if case .open(let end) = phase { end } else { nil }
    }

    var probesUnderWay: Int {
        if case .halfOpen(let probes, _) = phase { probes } else { 0 }
    }

    /// Lets a call through; `nil` while the circuit is not closed.
    mutating func passIfClosed() -> Pass? {
        guard case .closed = phase else { return nil }
        underWay += 1
        return Pass(phase: number)
    }

    /// What most calls come to, which changes no phase.
    ///
    /// - Returns: whether that was so.
    mutating func succeedIfClosed(_ pass: Pass, at now: Duration, isOver: Bool) -> Bool {
        guard case .closed = phase, pass.phase == number else { return false }
        window.add(isFailure: false, at: now)
        if isOver { underWay -= 1 }
        return true
    }

    /// - Parameter now: asked for when the circuit is not closed.
    /// - Returns: `nil` when the call is to fail.
    mutating func admit(now: () -> Duration) -> Pass? {
        switch phase {
        case .closed: break
        case .open(let end):
            guard now() >= end else { return nil }
            enter(.halfOpen(probes: 1, successes: 0))
        case .halfOpen(let probes, let successes):
            guard probes < max(thresholds.probes - successes, 1) else { return nil }
            phase = .halfOpen(probes: probes + 1, successes: successes)
        }
        underWay += 1
        return Pass(phase: number)
    }

    /// A call that was let through, and was judged, is over with its body.
    mutating func leave() { underWay -= 1 }

    /// What a call came to, when its head is there or it has failed.
    mutating func judge(_ pass: Pass, _ outcome: Outcome, at now: Duration) {
        guard pass.phase == number else { return }
        switch (phase, outcome) {
        case (.closed, .none), (.open, _): break
        case (.closed, _): count(isFailure: outcome == .failure, at: now)
        case (.halfOpen, .failure): open(at: now)
        case (.halfOpen(let probes, let successes), .none):
            phase = .halfOpen(probes: probes - 1, successes: successes)
        case (.halfOpen(let probes, let successes), .success):
            if successes + 1 >= thresholds.probes {
                window = OutcomeWindow(length: thresholds.window)
                enter(.closed)
            } else {
                phase = .halfOpen(probes: probes - 1, successes: successes + 1)
            }
        }
    }

    /// A body broke off, whose head was a success.
    mutating func bodyFailed(_ pass: Pass, at now: Duration) {
        guard pass.phase == number else { return }
        switch phase {
        case .closed: count(isFailure: true, at: now)
        case .halfOpen: open(at: now)
        case .open: break
        }
    }

    private mutating func count(isFailure: Bool, at now: Duration) {
        window.add(isFailure: isFailure, at: now)
        guard isFailure, window.failures >= thresholds.failures, window.failureRate >= thresholds.failureRate else {
            return
        }
        open(at: now)
    }

    private mutating func open(at now: Duration) { enter(.open(until: now + thresholds.pause)) }

    private mutating func enter(_ next: Phase) {
        phase = next
        number += 1
    }
}
