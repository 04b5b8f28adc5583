// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataTesting
import Testing

@testable import StrataMiddleware

/// Against a server that counts exactly, in fixed windows, and refuses what is too much.
struct ExactServerTests {
    enum Notation: CaseIterable { case draft10, draft7, draft6, x, time }

    struct Limit {
        let count: Int
        let seconds: Int
        var taken: [Int: Int] = [:]
    }

    /// Its windows begin at 0.
    struct Server {
        var limits: [Limit]
        let notation: Notation

        mutating func answer(at now: Duration) throws -> HTTPFields {
            var policies: [String] = []
            var states: [String] = []
            var numbers = (limit: 0, left: 0, reset: 0)
            let time = now / .seconds(1)
            for index in limits.indices {
                let (count, length) = (limits[index].count, limits[index].seconds)
                let window = Int(time) / length
                let taken = limits[index].taken[window, default: 0] + 1
                limits[index].taken[window] = taken
                numbers = (count, max(count - taken, 0), Int((Double((window + 1) * length) - time).rounded(.up)))
                policies.append("\"\(index)\";q=\(count);w=\(length)")
                states.append("\"\(index)\";r=\(numbers.left);t=\(numbers.reset)")
            }
            var fields = HTTPFields()
            switch notation {
            case .draft10:
                try fields.addValue(policies.joined(separator: ", "), forName: "RateLimit-Policy")
                try fields.addValue(states.joined(separator: ", "), forName: "RateLimit")
            case .draft7:
                let (limit, left, reset) = numbers
                try fields.addValue("limit=\(limit), remaining=\(left), reset=\(reset)", forName: "RateLimit")
                try fields.addValue("\(limit);w=\(limits[0].seconds)", forName: "RateLimit-Policy")
            case .draft6, .x, .time:
                let prefix = notation == .draft6 ? "RateLimit" : "X-RateLimit"
                let start = notation == .time ? 1_700_000_000 + Int(time.rounded(.up)) : 0
                try fields.addValue("\(numbers.limit)", forName: "\(prefix)-Limit")
                try fields.addValue("\(numbers.left)", forName: "\(prefix)-Remaining")
                try fields.addValue("\(start + numbers.reset)", forName: "\(prefix)-Reset")
            }
            return fields
        }
    }

    /// One answer is known; then so many calls come at once.
    private func run(_ start: Server, calls: Int, latency: (Int) -> Duration, _ comment: String) throws {
        var server = start
        var known = LearnedQuotas()
        var answers: [(time: Duration, sent: Duration?, fields: HTTPFields)] = []
        answers.append((.zero, nil, try server.answer(at: .zero)))
        var (now, left, steps) = (Duration.zero, calls, 0)
        while left > 0 || !answers.isEmpty {
            steps += 1
            guard steps < 10_000 else { return _ = Issue.record("\(comment): it does not end") }
            while let index = answers.firstIndex(where: { $0.time <= now }) {
                let answer = answers.remove(at: index)
                let date = Date(timeIntervalSince1970: 1_700_000_000 + now / .seconds(1))
                known.learn(
                    RateLimitFields.quotas(in: answer.fields, now: date), isRefused: false, sent: answer.sent, now: now)
                if let sent = answer.sent { known.noteAnswer(sent: sent) }
            }
            known.roll(to: now)
            while left > 0, known.ready(0, now: now) <= now {
                known.take()
                left -= 1
                answers.append((now + latency(left), now, try server.answer(at: now)))
            }
            let next = answers.map(\.time).min()
            let ready = left > 0 ? known.ready(0, now: now) : nil
            now = [next, ready].compactMap { $0 }.min() ?? now
        }
        for limit in server.limits {
            #expect(limit.taken.values.allSatisfy { $0 <= limit.count }, "\(comment): \(limit.taken)")
        }
        let limit = start.limits[0]
        #expect(now <= .seconds(2 * limit.seconds * (calls / limit.count + 3)), "\(comment): it waits too long")
    }

    @Test(arguments: Notation.allCases) func noWindowGetsMoreThanItsLimit(_ notation: Notation) throws {
        let latencies: [(String, (Int) -> Duration)] = [
            ("at once", { _ in .zero }), ("soon", { _ in .milliseconds(50) }),
            ("out of order", { .milliseconds(100 + $0 * 7 % 10 * 40) }),
            ("late", { .milliseconds($0 % 3 == 0 ? 2700 : 300) }), ("beyond a window", { _ in .milliseconds(3300) }),
        ]
        for (name, latency) in latencies {
            for (count, seconds) in [(10, 2), (1, 1), (3, 10), (10, 60)] {
                let server = Server(limits: [Limit(count: count, seconds: seconds)], notation: notation)
                try run(server, calls: 39, latency: latency, "\(name), \(count) in \(seconds) s")
            }
        }
    }

    @Test func noneOfSeveralLimitsIsExceeded() throws {
        for (name, latency) in [("soon", 50), ("late", 2700)] {
            for step in [0, 130] {
                let limits = [Limit(count: 25, seconds: 20), Limit(count: 10, seconds: 2)]
                try run(
                    Server(limits: limits, notation: .draft10), calls: 99,
                    latency: { .milliseconds(latency + $0 % 5 * step) }, "\(name), \(step)")
            }
        }
    }

    @Test(arguments: [
        ["RateLimit": #""d";r=0;t=0"#, "RateLimit-Policy": #""d";q=9;w=50"#],
        ["RateLimit": "limit=9, remaining=0, reset=0", "RateLimit-Policy": "9;w=50"],
        ["RateLimit-Remaining": "0", "RateLimit-Reset": "0"], ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0"],
    ])
    func aWindowThatEndsNowIsWaitedForASecond(_ fields: [String: String]) async throws {
        let clock = VirtualClock()
        var head = HTTPFields()
        for (name, value) in fields { try head.addValue(value, forName: name) }
        let transport = ScriptedTransport(.status(200, fields: head), .status(200))
        let client = makeClient(transport, RateLimitMiddleware(), clock: clock)
        for _ in 0..<2 { _ = try await client.call() }
        #expect(clock.sleeps == [.seconds(1)])
    }

    @Test func noRateIsTooExtreme() async throws {
        let numbers = [Int.max, 1, 0, -1, .min]
        let times: [Duration] = [
            .seconds(Int64.max), .seconds(Int64.min), .seconds(60), .nanoseconds(1), .zero, .seconds(-1),
            Duration(secondsComponent: 0, attosecondsComponent: 1),
        ]
        for count in numbers {
            for time in times {
                for burst in numbers.map({ $0 as Int? }) + [nil] {
                    let limit = RateLimitMiddleware(.requests(count, per: time, burst: burst), excess: .fail)
                    let client = makeClient(ScriptedTransport { _ in .status(200) }, limit)
                    for _ in 0..<3 { _ = try? await client.call() }
                    #expect(limit.underWay == 0)
                }
            }
        }
    }
}
