// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// The state of one circuit: closed, open or half open. Knows no time but the one that it is given.
struct Circuit: LoadEntry, Sendable {
    private enum Phase: Sendable {
        case closed
        case open(until: Duration)
        /// Some calls are let through to see whether the server has recovered.
        case halfOpen
    }

    /// A call that was let through while the circuit was half open, and has not been judged.
    private struct Probe: Sendable {
        let number: UInt64
        /// Which call it is; `nil` outside of a client.
        let call: ObjectIdentifier?
        /// When its head was there, a success; its body is still to come.
        var answered: Duration?
    }

    /// What a call that was let through says when it is over.
    struct Pass: Sendable {
        /// Of the phase in which it was let through: what has begun before says nothing of a later one.
        fileprivate let phase: UInt64
        /// Of the probe that it is.
        fileprivate let probe: UInt64
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
    private var probes: [Probe] = []
    private var lastProbe: UInt64 = 0
    /// Of probes, in this phase.
    private var successes = 0

    init(_ thresholds: CircuitBreakerMiddleware.Thresholds) {
        self.thresholds = thresholds
        window = OutcomeWindow(length: thresholds.window)
    }

    var isIdle: Bool { underWay == 0 }
    var isWorthKeeping: Bool { state != .closed }
    var callsUnderWay: Int { underWay }
    var probesUnderWay: Int { probes.count }

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

    /// Lets a call through; `nil` while the circuit is not closed.
    mutating func passIfClosed() -> Pass? {
        guard case .closed = phase else { return nil }
        underWay += 1
        return Pass(phase: number, probe: 0)
    }

    /// What most calls come to, which changes no phase.
    ///
    /// - Returns: the step of the window that counts it; `nil` when that was not so.
    mutating func succeedIfClosed(_ pass: Pass, at now: Duration, isOver: Bool) -> OutcomeWindow.StepNumber? {
        guard case .closed = phase, pass.phase == number else { return nil }
        if isOver { underWay -= 1 }
        return window.add(isFailure: false, at: now)
    }

    /// Whether a call that was let through is not to be sent any more: others have found since that the server fails.
    func hasTurnedAgainst(_ call: ObjectIdentifier?) -> Bool {
        switch phase {
        case .closed: false
        case .open: true
        case .halfOpen: !probes.contains { $0.call == call }
        }
    }

    /// - Parameter now: asked for when the circuit is not closed.
    /// - Returns: `nil` when the call is to fail.
    mutating func admit(_ call: ObjectIdentifier?, now: () -> Duration) -> Pass? {
        switch phase {
        case .closed: break
        case .open(let end):
            guard now() >= end else { return nil }
            enter(.halfOpen)
        case .halfOpen: judgeByOldHeads(at: now())
        }
        // That may have closed it.
        guard case .halfOpen = phase else { return passIfClosed() }
        guard probes.count < max(thresholds.probes - successes, 1) else { return nil }
        lastProbe += 1
        probes.append(Probe(number: lastProbe, call: call))
        underWay += 1
        return Pass(phase: number, probe: lastProbe)
    }

    /// A call that was let through, and was judged, is over with its body.
    mutating func leave() { underWay -= 1 }

    // MARK: Outcomes

    /// What a call came to that is over, or has failed with its head.
    mutating func judge(_ pass: Pass, _ outcome: Outcome, at now: Duration) {
        guard pass.phase == number else { return }
        switch (phase, outcome) {
        case (.closed, .none), (.open, _): break
        case (.closed, _):
            window.add(isFailure: outcome == .failure, at: now)
            if outcome == .failure { openIfTooManyFailed(at: now) }
        case (.halfOpen, .failure): open(at: now)
        case (.halfOpen, .none): probes.removeAll { $0.number == pass.probe }
        case (.halfOpen, .success): succeed(probe: pass.probe)
        }
    }

    /// The head of a probe is there, a success. Its body decides.
    mutating func answer(_ pass: Pass, at now: Duration) {
        guard pass.phase == number, let place = probes.firstIndex(where: { $0.number == pass.probe }) else { return }
        probes[place].answered = now
    }

    /// The body is over whose head was a success.
    ///
    /// - `step`: counts that success, if the circuit was closed.
    /// - `failure`: when the body broke off; `nil` when it came to its end, or nobody wanted the rest.
    mutating func endBody(_ pass: Pass, countedIn step: OutcomeWindow.StepNumber?, failure: Duration?) {
        guard pass.phase == number else { return }
        switch (phase, failure) {
        case (.closed, let time?):
            window.turnIntoFailure(successIn: step, at: time)
            openIfTooManyFailed(at: time)
        case (.halfOpen, let time?): open(at: time)
        case (.halfOpen, nil): succeed(probe: pass.probe)
        case (.closed, nil), (.open, _): break
        }
    }

    /// Bodies may take for ever: a probe whose head has been there for the pause is a success.
    private mutating func judgeByOldHeads(at now: Duration) {
        for probe in probes {
            if let answered = probe.answered, now - answered >= thresholds.pause { succeed(probe: probe.number) }
        }
    }

    private mutating func succeed(probe number: UInt64) {
        // It may have been judged by its head.
        guard let place = probes.firstIndex(where: { $0.number == number }) else { return }
        probes.remove(at: place)
        successes += 1
        guard successes >= thresholds.probes else { return }
        window = OutcomeWindow(length: thresholds.window)
        enter(.closed)
    }

    // MARK: Phases

    private mutating func openIfTooManyFailed(at now: Duration) {
        if window.failures >= thresholds.failures, window.failureRate >= thresholds.failureRate { open(at: now) }
    }

    private mutating func open(at now: Duration) { enter(.open(until: now + thresholds.pause)) }

    private mutating func enter(_ next: Phase) {
        phase = next
        number += 1
        probes = []
        successes = 0
    }
}
