// SPDX-License-Identifier: Apache-2.0

/// How many calls there were in the last while, and how many of them failed: counted in ten steps, of which the oldest goes as a new
/// one begins.
struct OutcomeWindow: Sendable {
    /// Counted from time zero.
    typealias StepNumber = Int64

    private struct Step {
        var calls = 0
        var failures = 0
    }

    private static let steps = 10

    private let stepMilliseconds: Int64
    private var steps = [Step](repeating: Step(), count: Self.steps)
    /// The step of the last outcome, and when the next one begins.
    private var current: StepNumber = 0
    private var next: Duration
    private(set) var calls = 0
    private(set) var failures = 0

    init(length: Duration) {
        stepMilliseconds = max(Self.milliseconds(length) / Int64(Self.steps), 1)
        next = .milliseconds(stepMilliseconds)
    }

    private static func milliseconds(_ time: Duration) -> Int64 {
        let (seconds, attoseconds) = time.components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        return overflows ? .max / 2 : whole + attoseconds / 1_000_000_000_000_000
    }

    var failureRate: Double { calls == 0 ? 0 : Double(failures) / Double(calls) }

    /// - Returns: the step that counts it.
    @discardableResult
    mutating func add(isFailure: Bool, at now: Duration) -> StepNumber {
        move(to: now)
        let step = Int(current % Int64(Self.steps))
        calls += 1
        steps[step].calls += 1
        if isFailure {
            failures += 1
            steps[step].failures += 1
        }
        return current
    }

    /// A call that was counted as a success has failed: a failure of now, in place of that success if it still counts.
    mutating func turnIntoFailure(successIn number: StepNumber?, at now: Duration) {
        move(to: now)
        if let number, current - number < Int64(Self.steps) {
            calls -= 1
            steps[Int(number % Int64(Self.steps))].calls -= 1
        }
        add(isFailure: true, at: now)
    }

    /// Forgets what is too old. Time that has jumped far has everything forgotten; it does not go back.
    private mutating func move(to now: Duration) {
        // Most outcomes belong to the step of the one before, and nothing has to be divided.
        guard now >= next else { return }
        let number = max(Self.milliseconds(now) / stepMilliseconds, 0)
        guard number > current else { return }
        for ended in (max(current, number - Int64(Self.steps)) + 1)...number {
            let step = Int(ended % Int64(Self.steps))
            calls -= steps[step].calls
            failures -= steps[step].failures
            steps[step] = Step()
        }
        current = number
        next = .milliseconds((number + 1) * stepMilliseconds)
    }
}
