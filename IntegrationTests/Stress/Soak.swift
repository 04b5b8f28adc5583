// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataNative
import StrataTesting
import Synchronization

/// Calls at a steady rate, for long, over the native transport to servers of several kinds, some of which answer badly: does the process
/// grow, and is an answer ever another than the right one? `scripts/soak` starts the servers and this.
///
///     Stress soak SECONDS RATE SEED AUTHORITIES NAME=URL…
///
/// AUTHORITIES is a file of certificates. A server whose name begins with `faults` may break off, one whose name ends with `-h2c` is
/// spoken to in HTTP/2 without TLS.
///
/// Every ten seconds a line says what the process holds. The verdict compares medians, since single samples depend on what is under way:
/// that of the last third of the time with that of the second. A third of an hour at 50 calls a second is 60,000 calls: what is tolerated
/// (``memoryTolerance``, ``descriptorTolerance``) would be 50 bytes for each, and one descriptor for each 7,500.
///
/// Exits 1 when memory or descriptors grow, when something is left behind the shutdown, or when an outcome is wrong.
struct Soak: Sendable {
    /// In KiB.
    private static let memoryTolerance = 3 * 1024
    private static let descriptorTolerance = 8
    /// More are not begun while so many are under way.
    private static let mostAtOnce = 200

    private struct Sample {
        var memory: Int
        var descriptors: Int
    }

    private final class Books: Sendable {
        let tally = Mutex(SoakTally())
        let atOnce = Atomic(0)
    }

    private let duration: Duration
    private let rate: Int
    private let seed: UInt64
    private let authorities: String
    private let targets: [SoakTarget]

    init?(_ arguments: [String]) {
        guard arguments.count > 4, let seconds = Int(arguments[0]), seconds > 0, let rate = Int(arguments[1]), rate > 0,
            let seed = UInt64(arguments[2])
        else { return nil }
        duration = .seconds(seconds)
        self.rate = rate
        self.seed = seed
        authorities = arguments[3]
        targets = arguments.dropFirst(4).compactMap { SoakTarget($0) }
        guard targets.count == arguments.count - 4 else { return nil }
    }

    func run() async throws -> Int32 {
        // Once, so that what is made at first use counts as there before.
        let first = makeTransport()
        try await makeCalls(over: first, for: .seconds(2), Books())
        await first.shutdown()

        let before = Leftovers.settled()
        let (transport, books) = (makeTransport(), Books())
        let sampling = Task { await takeSamples(of: transport, books) }
        try await makeCalls(over: transport, for: duration, books)
        sampling.cancel()
        let samples = await sampling.value
        for _ in 0..<100 where transport.liveTransfers > 0 { try await Task.sleep(for: .milliseconds(100)) }
        let left = transport.liveTransfers
        await transport.shutdown()
        let after = Leftovers.settled()

        let tally = books.tally.withLock { $0 }
        print(tally)
        var faults = tally.wrong
        if left > 0 { faults.append("\(left) exchanges are left") }
        if after.descriptors > before.descriptors {
            faults.append("descriptors \(before.descriptors) -> \(after.descriptors), behind the shutdown")
        }
        faults += Self.growth("memory in KiB", samples.map(\.memory), tolerance: Self.memoryTolerance)
        faults += Self.growth("descriptors", samples.map(\.descriptors), tolerance: Self.descriptorTolerance)
        print(
            faults.isEmpty
                ? "verdict: clean" : "verdict: \(faults.count) FAULTS\n\(faults.prefix(20).joined(separator: "\n"))")
        return faults.isEmpty ? 0 : 1
    }

    private func makeTransport() -> NativeTransport {
        var configuration = NativeTransport.Configuration()
        configuration.proxy = .none
        configuration.tls.trust = .file(authorities)
        return NativeTransport(configuration: configuration)
    }

    private func makeCalls(over transport: NativeTransport, for duration: Duration, _ books: Books) async throws {
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: "http://127.0.0.1:1", transport: transport))
        let file = FileManager.default.temporaryDirectory.appending(path: "soak-\(UUID().uuidString)")
        try SoakPattern.bytes(at: 0, count: SoakCall.fileSize).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let clock = ContinuousClock()
        let start = clock.now
        try await withThrowingDiscardingTaskGroup { group in
            var number: UInt64 = 0
            while clock.now - start < duration {
                try await clock.sleep(until: start + .seconds(1) / rate * Int(number))
                number += 1
                guard books.atOnce.load(ordering: .relaxed) < Self.mostAtOnce else {
                    books.tally.withLock { $0.heldBack += 1 }
                    continue
                }
                var random = SeededGenerator(seed: seed &* 1_000_003 &+ number)
                guard let target = targets.randomElement(using: &random) else { return }
                let call = SoakCall(number, to: target, file: file, &random)
                books.atOnce.wrappingAdd(1, ordering: .relaxed)
                group.addTask {
                    let outcome = await call.run(client)
                    books.atOnce.wrappingSubtract(1, ordering: .relaxed)
                    books.tally.withLock { $0.count(outcome, of: call) }
                }
            }
        }
    }

    private func takeSamples(of transport: NativeTransport, _ books: Books) async -> [Sample] {
        var samples: [Sample] = []
        let start = ContinuousClock.now
        print("seconds, KiB, descriptors, threads, under way, calls, wrong")
        while (try? await Task.sleep(for: .seconds(10))) != nil {
            let (now, memory) = (Leftovers.now, Self.residentKiB)
            samples.append(Sample(memory: memory, descriptors: now.descriptors))
            let (count, wrong) = books.tally.withLock { ($0.total, $0.wrong) }
            let seconds = (ContinuousClock.now - start).components.seconds
            print(
                seconds, memory, now.descriptors, now.threads, transport.liveTransfers, count, wrong.count,
                separator: ", ")
            if let last = wrong.last { print("the last wrong one: \(last)") }
            fflush(nil)
        }
        return samples
    }

    /// The process's own. The pages of its files come and go with what else runs on the machine.
    private static var residentKiB: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    private static func growth(_ name: String, _ samples: [Int], tolerance: Int) -> [String] {
        let third = samples.count / 3
        guard third > 0 else { return ["\(name): too few samples"] }
        func median(_ part: ArraySlice<Int>) -> Int { part.sorted()[part.count / 2] }
        let medians = (0..<3).map { median(samples[($0 * third)..<(($0 + 1) * third)]) }
        print("\(name), medians of the thirds: \(medians), most \(samples.max() ?? 0)")
        return medians[2] - medians[1] > tolerance ? ["\(name) grow: \(medians)"] : []
    }
}

/// How the calls ended.
struct SoakTally: CustomStringConvertible, Sendable {
    var heldBack = 0
    var total = 0
    var wrong: [String] = []
    private var outcomes: [String: [String: Int]] = [:]

    mutating func count(_ outcome: SoakCall.Outcome, of call: SoakCall) {
        total += 1
        outcomes[call.target.name, default: [:]][outcome.name, default: 0] += 1
        if case .wrong(let why) = outcome { wrong.append("\(call): \(why)") }
    }

    var description: String {
        let lines = outcomes.sorted { $0.key < $1.key }.map { name, counts in
            "\(name): " + counts.sorted { $0.key < $1.key }.map { "\($1) \($0)" }.joined(separator: ", ")
        }
        return "\(total) calls, \(heldBack) held back, \(wrong.count) wrong\n" + lines.joined(separator: "\n")
    }
}
