// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataMiddleware

/// The states of one circuit, by the time that it is given.
struct CircuitTests {
    private func circuit(_ change: (inout CircuitBreakerMiddleware.Thresholds) -> Void = { _ in }) -> Circuit {
        var thresholds = CircuitBreakerMiddleware.Thresholds()
        thresholds.failures = 3
        thresholds.pause = .seconds(10)
        change(&thresholds)
        return Circuit(thresholds)
    }

    /// Calls one after the other: `F` fails, `S` succeeds, `-` says nothing.
    private func run(_ calls: String, on circuit: inout Circuit, at now: Duration = .zero) {
        for call in calls {
            guard let pass = circuit.admit(nil, now: { now }) else { continue }
            circuit.judge(pass, call == "F" ? .failure : call == "S" ? .success : .none, at: now)
            circuit.leave()
        }
    }

    /// A call that has to be let through.
    private func admit(to circuit: inout Circuit, at seconds: Int) throws -> Circuit.Pass {
        let pass = circuit.admit(nil, now: { .seconds(seconds) })
        return try #require(pass)
    }

    /// One that has to be let through since the circuit is closed.
    private func pass(_ circuit: inout Circuit) throws -> Circuit.Pass {
        let pass = circuit.passIfClosed()
        return try #require(pass)
    }

    @Test(arguments: [
        ("FF", 0.5, false), ("FFF", 0.5, true), ("SSSFFF", 0.5, true), ("SSSSFFF", 0.5, false), ("SSSSFFFF", 0.5, true),
        ("FFSSS", 0.5, false), ("FFSSSF", 0.5, true), ("FF----F", 0.5, true), ("-----", 0, false), ("FF", 0, false),
        ("SSSSSSSSSFFF", 0, true), ("SFFFFF", 1, false), ("FFF", 1, true),
    ])
    func opensWhenBothThresholdsAreReached(_ calls: String, _ rate: Double, _ isOpen: Bool) {
        var circuit = circuit { $0.failureRate = rate }
        run(calls, on: &circuit, at: .seconds(1))
        #expect(circuit.state == (isOpen ? .open : .closed))
        #expect(circuit.openUntil == (isOpen ? .seconds(11) : nil))
        #expect(circuit.callsUnderWay == 0 && circuit.isIdle)
    }

    @Test func failuresCountWithinTheWindow() {
        var circuit = circuit { $0.window = .seconds(20) }
        run("F", on: &circuit)
        run("F", on: &circuit, at: .seconds(10))
        run("F", on: &circuit, at: .seconds(20))
        #expect(circuit.state == .closed)
        run("F", on: &circuit, at: .milliseconds(29_999))
        #expect(circuit.state == .open)
    }

    @Test func letsNothingThroughUntilThePauseIsOver() {
        var circuit = circuit()
        run("FFF", on: &circuit)
        for time in [0, 9_999] {
            #expect(circuit.admit(nil, now: { .milliseconds(time) }) == nil)
            #expect(circuit.passIfClosed() == nil)
        }
        #expect(circuit.state == .open && circuit.callsUnderWay == 0)
        #expect(circuit.admit(nil, now: { .seconds(10) }) != nil)
        #expect(circuit.state == .halfOpen && circuit.openUntil == nil)
        #expect(circuit.callsUnderWay == 1 && circuit.probesUnderWay == 1 && !circuit.isIdle)
    }

    @Test(arguments: [(-1, 1), (0, 1), (1, 1), (2, 2), (3, 3)])
    func asManyProbesGoAtATimeAsHaveToSucceed(_ probes: Int, _ admitted: Int) {
        var circuit = circuit { $0.probes = probes }
        run("FFF", on: &circuit)
        var passes: [Circuit.Pass] = []
        while let pass = circuit.admit(nil, now: { .seconds(10) }), passes.count < 9 { passes.append(pass) }
        #expect(passes.count == admitted && circuit.probesUnderWay == admitted)
        for (number, pass) in passes.enumerated() {
            #expect(circuit.state == .halfOpen, "\(number)")
            circuit.judge(pass, .success, at: .seconds(11))
            // Each success leaves room for one probe less.
            if number + 1 < admitted { #expect(circuit.admit(nil, now: { .seconds(11) }) == nil) }
        }
        #expect(circuit.state == .closed && circuit.probesUnderWay == 0)
    }

    @Test func aProbeThatSaysNothingMakesRoom() throws {
        var circuit = circuit { $0.probes = 2 }
        run("FFF", on: &circuit)
        let first = try admit(to: &circuit, at: 10)
        circuit.judge(first, .success, at: .seconds(10))
        let second = try admit(to: &circuit, at: 10)
        #expect(circuit.admit(nil, now: { .seconds(10) }) == nil)
        circuit.judge(second, .none, at: .seconds(10))
        #expect(circuit.state == .halfOpen && circuit.probesUnderWay == 0)
        let third = try admit(to: &circuit, at: 10)
        #expect(circuit.probesUnderWay == 1)
        circuit.judge(third, .success, at: .seconds(10))
        #expect(circuit.state == .closed)
    }

    @Test func aProbeThatFailsOpensItAnew() throws {
        var circuit = circuit { $0.probes = 2 }
        run("FFF", on: &circuit)
        let first = try admit(to: &circuit, at: 10)
        let second = try admit(to: &circuit, at: 10)
        circuit.judge(first, .failure, at: .seconds(12))
        #expect(circuit.state == .open && circuit.openUntil == .seconds(22))
        // What was let through before says nothing now.
        circuit.judge(second, .success, at: .seconds(13))
        circuit.endBody(second, countedIn: nil, failure: .seconds(13))
        #expect(circuit.openUntil == .seconds(22))
    }

    @Test func afterTheProbesItCountsFromNothing() {
        var circuit = circuit()
        run("FFFSSS", on: &circuit, at: .seconds(1))
        run("S", on: &circuit, at: .seconds(11))
        #expect(circuit.state == .closed)
        run("FF", on: &circuit, at: .seconds(11))
        #expect(circuit.state == .closed)
        run("F", on: &circuit, at: .seconds(11))
        #expect(circuit.state == .open)
    }

    @Test func aBodyThatBreaksOffIsAFailureInPlaceOfItsSuccess() throws {
        var circuit = circuit { $0.failureRate = 1 }
        for number in 1...3 {
            let pass = try pass(&circuit)
            let step = circuit.succeedIfClosed(pass, at: .zero, isOver: false)
            #expect(step != nil && circuit.callsUnderWay == 1)
            circuit.endBody(pass, countedIn: step, failure: .seconds(1))
            circuit.leave()
            #expect(circuit.state == (number < 3 ? .closed : .open))
        }
        #expect(circuit.openUntil == .seconds(11) && circuit.isIdle)
    }

    @Test func theBodyOfAProbeDecides() throws {
        var circuit = circuit()
        run("FFF", on: &circuit)
        let first = try admit(to: &circuit, at: 10)
        circuit.answer(first, at: .seconds(10))
        #expect(circuit.state == .halfOpen && circuit.admit(nil, now: { .seconds(11) }) == nil)
        circuit.endBody(first, countedIn: nil, failure: .seconds(12))
        #expect(circuit.openUntil == .seconds(22))
        let second = try admit(to: &circuit, at: 22)
        circuit.answer(second, at: .seconds(22))
        circuit.endBody(second, countedIn: nil, failure: nil)
        #expect(circuit.state == .closed)
    }

    @Test func aProbeIsJudgedOnce() throws {
        var circuit = circuit { $0.probes = 2 }
        run("FFF", on: &circuit)
        let first = try admit(to: &circuit, at: 10)
        circuit.answer(first, at: .seconds(10))
        let second = try admit(to: &circuit, at: 19)
        #expect(circuit.admit(nil, now: { .milliseconds(19_999) }) == nil)
        // The first has been a success since 20, and no more are needed than the second.
        #expect(circuit.admit(nil, now: { .seconds(20) }) == nil)
        #expect(circuit.probesUnderWay == 1)
        circuit.endBody(first, countedIn: nil, failure: nil)
        #expect(circuit.state == .halfOpen && circuit.probesUnderWay == 1)
        circuit.judge(second, .success, at: .seconds(21))
        #expect(circuit.state == .closed)
    }

    @Test func aSuccessIsQuicklyCountedWhileItIsClosed() throws {
        var circuit = circuit()
        let early = try pass(&circuit)
        for _ in 1...3 {
            let pass = try pass(&circuit)
            #expect(circuit.callsUnderWay == 2)
            #expect(circuit.succeedIfClosed(pass, at: .zero, isOver: true) != nil)
            #expect(circuit.callsUnderWay == 1)
        }
        run("FF", on: &circuit)
        #expect(circuit.state == .closed)
        run("F", on: &circuit)
        #expect(circuit.state == .open)
        #expect(circuit.succeedIfClosed(early, at: .zero, isOver: true) == nil)
        run("S", on: &circuit, at: .seconds(10))
        #expect(circuit.state == .closed)
        // It is closed again, and the call is from before.
        #expect(circuit.succeedIfClosed(early, at: .seconds(10), isOver: true) == nil)
        #expect(circuit.callsUnderWay == 1)
    }

    @Test func theThresholdsHaveTheirDefaults() throws {
        var circuit = Circuit(CircuitBreakerMiddleware.Thresholds())
        // The one at the beginning counts for 30 seconds.
        run("F", on: &circuit)
        run("FFFFFFFF", on: &circuit, at: .milliseconds(29_999))
        #expect(circuit.state == .closed)
        var other = circuit
        run("F", on: &circuit, at: .milliseconds(29_999))
        #expect(circuit.state == .open && circuit.openUntil == .milliseconds(44_999))
        run("F", on: &other, at: .seconds(30))
        #expect(other.state == .closed)
        run("SSSSSSSSS", on: &other, at: .seconds(30))
        run("F", on: &other, at: .seconds(30))
        #expect(other.state == .open, "ten of 19, and half of the calls")
        // One probe closes it.
        run("S", on: &circuit, at: .seconds(45))
        #expect(circuit.state == .closed)
    }
}
