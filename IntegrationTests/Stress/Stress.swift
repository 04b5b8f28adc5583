// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import StrataNative
import StrataTesting
import StrataURLSession
import Synchronization

/// Many calls at once, and then one or two, half of them cancelled at random, among servers that break off, with the transport
/// shut down in the middle of the last ones. Run under ThreadSanitizer and AddressSanitizer by `scripts/sanitize`.
///
///     Stress [curl|native|native-loop|urlsession] [count] [seed]
///     Stress rules [words]
///     Stress native-rules [words]
///     Stress native-loop-rules [words]
///     Stress end …
///     Stress attacks [curl|native] [words]
///     Stress sockets [count] [seed]
///     Stress soak …
///
/// Exits 1 when a reply went to the wrong caller, an error is not the client's own, or a transfer, a body's source, a
/// descriptor or a thread is left; with `rules`, when a transport breaks one of the rules for transports whose name does not have
/// the words. With `end` it ends while calls are under way; see `Ending`. `Soak` has calls made for long.
@main
struct Stress {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let name = arguments.first ?? "curl"
        if name == "end" {
            guard let ending = Ending(Array(arguments.dropFirst())) else { exit(2) }
            return try await ending.run()
        }
        if name == "sockets" {
            let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 2000
            exit(await Sockets.run(count: count, seed: arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 1))
        }
        if name == "soak" {
            guard let soak = Soak(Array(arguments.dropFirst())) else { exit(2) }
            exit(try await soak.run())
        }
        if name == "attacks" {
            let transport = arguments.dropFirst().first ?? "curl"
            return await Attacks.run(arguments.dropFirst(2).first) { makeTransport(transport) }
        }
        if name.hasSuffix("rules") {
            let transport = name == "rules" ? "curl" : String(name.dropLast("-rules".count))
            exit(await keepsRules(transport, but: arguments.dropFirst().first) ? 0 : 1)
        }
        let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000
        let seed = arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 1
        // Once, so that what is made at first use counts as there before.
        _ = await Run(transport: makeTransport(name), seed: seed).calls(64, concurrency: 16)

        let before = Leftovers.settled()
        let transport = makeTransport(name)
        let run = Run(transport: transport, seed: seed)
        var tally = await run.calls(count, concurrency: 256)
        let transfers = liveTransfers(of: transport)
        await transport.shutdown()

        let quiet = makeTransport(name)
        for few in 1...2 { tally += await Run(transport: quiet, seed: seed).calls(count / 20, concurrency: few) }
        await quiet.shutdown()

        let doomed = makeTransport(name)
        async let last = Run(transport: doomed, seed: seed &+ 1).calls(1000, concurrency: 256)
        try await Task.sleep(for: .milliseconds(50))
        await doomed.shutdown()
        tally += await last

        let after = Leftovers.settled()
        print("\(name): \(tally)")
        print(
            "descriptors \(before.descriptors) -> \(after.descriptors), threads \(before.threads) -> \(after.threads)",
            "sources \(before.sources) -> \(after.sources), transfers \(transfers)", separator: ", ")
        let isClean =
            tally.wrong.isEmpty && transfers == 0 && after.sources <= before.sources
            && after.descriptors <= before.descriptors && after.threads <= before.threads
        exit(isClean ? 0 : 1)
    }

    private static func keepsRules(_ name: String, but words: String?) async -> Bool {
        var (broken, known) = (0, 0)
        for rule in TransportRule.all {
            let transport = makeTransport(name)
            do {
                try await rule.check(transport)
            } catch {
                print("\(rule): \(error)")
                if let words, rule.name.contains(words) { known += 1 } else { broken += 1 }
            }
            await transport.shutdown()
        }
        print("\(TransportRule.all.count) rules, \(broken) broken, \(known) known to break")
        return broken == 0
    }

    /// Those that are still there when cancels have had their time.
    private static func liveTransfers(of transport: any NetworkTransport) -> Int {
        var count: Int {
            switch transport {
            case let transport as CurlTransport: transport.liveTransfers
            case let transport as NativeTransport: transport.liveTransfers
            case let transport as ExecutorTransport: (transport.base as? NativeTransport)?.liveTransfers ?? 0
            case let transport as URLSessionTransport: transport.liveTransfers
            default: 0
            }
        }
        for _ in 0..<100 where count > 0 { Thread.sleep(forTimeInterval: 0.1) }
        return count
    }

    private static func makeTransport(_ name: String) -> any NetworkTransport {
        switch name {
        case "urlsession": return URLSessionTransport()
        case "native": return NativeTransport(configuration: .init(), environment: { _ in nil })
        case "native-loop":
            let transport = NativeTransport(configuration: .init(), environment: { _ in nil })
            return ExecutorTransport(transport, on: transport.loopExecutors[0])
        default: return CurlTransport(configuration: .init(), environment: { _ in nil })
        }
    }
}

/// How the calls ended.
struct Tally: CustomStringConvertible, Sendable {
    var succeeded = 0
    var cancelled = 0
    var failed: [NetworkClientError.Code: Int] = [:]
    var wrong: [String] = []

    static func += (tally: inout Tally, other: Tally) {
        tally.succeeded += other.succeeded
        tally.cancelled += other.cancelled
        tally.failed.merge(other.failed, uniquingKeysWith: +)
        tally.wrong += other.wrong
    }

    var description: String {
        let failures = failed.sorted { $0.key.description < $1.key.description }.map { "\($1) \($0)" }
        return "\(succeeded) succeeded, \(cancelled) cancelled, failed: \(failures.joined(separator: ", "))"
            + (wrong.isEmpty ? "" : "\nWRONG (\(wrong.count)): \(wrong.prefix(5).joined(separator: "\n"))")
    }
}

/// Calls against a server that answers each with its own target, and against some that break off.
struct Run: Sendable {
    let transport: any NetworkTransport
    let seed: UInt64

    func calls(_ count: Int, concurrency: Int) async -> Tally {
        guard let good = try? RawServer.start(script: .forever(.readRequest, .respondWithTarget)),
            let resetting = try? RawServer.start(script: [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\npart"), .reset,
            ]),
            let closing = try? RawServer.start(script: [.readRequest, .close]),
            let silent = try? RawServer.start(script: [.readRequest, .hang])
        else {
            return Tally(wrong: ["the servers could not be started"])
        }
        defer { [good, resetting, closing, silent].forEach { $0.stop() } }
        return await withTaskGroup(of: Tally.self) { group in
            for worker in 0..<concurrency {
                group.addTask {
                    var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(worker))
                    var tally = Tally()
                    for number in stride(from: worker, to: count, by: concurrency) {
                        let fault = Int.random(in: 0..<50, using: &random)
                        let server = fault == 0 ? resetting : fault == 1 ? closing : fault == 2 ? silent : good
                        // A call to the silent server ends by its cancel alone.
                        let isCancelled = fault == 2 || Bool.random(using: &random)
                        await call(
                            "\(server.url)/\(number)", isGood: fault > 2, isUpload: number % 8 == 0,
                            cancelAfter: isCancelled ? Int.random(in: 0..<400, using: &random) : nil, tally: &tally)
                    }
                    return tally
                }
            }
            var tally = Tally()
            for await part in group { tally += part }
            return tally
        }
    }

    private func call(
        _ url: String, isGood: Bool, isUpload: Bool, cancelAfter microseconds: Int?, tally: inout Tally
    ) async {
        let transport = transport
        let task = Task {
            let body = isUpload ? RequestBody.stream(isReplayable: true) { CountedSource() } : .empty
            var request = try TransportRequest(method: isUpload ? .post : .get, url: url, body: body)
            request.options.timeouts = Timeouts(connect: .seconds(20), idle: .seconds(20))
            let response = try await transport.send(request)
            return String(decoding: try await response.body.collect(), as: UTF8.self)
        }
        if let microseconds {
            if microseconds > 20 { try? await Task.sleep(for: .microseconds(microseconds)) }
            task.cancel()
        }
        switch await task.result {
        case .success(let text):
            tally.succeeded += 1
            if !isGood || !url.hasSuffix(text) || text.isEmpty { tally.wrong.append("\(url) got \(text.prefix(40))") }
        case .failure(is CancellationError):
            tally.cancelled += 1
            if microseconds == nil { tally.wrong.append("\(url) was cancelled by nobody") }
        case .failure(let error as NetworkClientError):
            tally.failed[error.code, default: 0] += 1
            if isGood, error.code != .transportShutDown { tally.wrong.append("\(url): \(error)") }
        case .failure(let error):
            tally.wrong.append("\(url): \(type(of: error))")
        }
    }
}

/// Some pieces for an upload; those alive are counted.
final class CountedSource: BodySource {
    private static let living = Atomic(0)
    private let pieces = Atomic(0)

    static var count: Int { living.load(ordering: .relaxed) }

    init() { Self.living.wrappingAdd(1, ordering: .relaxed) }
    deinit { Self.living.wrappingSubtract(1, ordering: .relaxed) }

    func next() async throws -> Data? {
        pieces.wrappingAdd(1, ordering: .relaxed).newValue <= 4 ? Data(count: 1000) : nil
    }

    func cancel() {}
}

/// What a process holds on to.
struct Leftovers: Equatable {
    var descriptors: Int
    var threads: Int
    var sources: Int

    static var now: Leftovers {
        func entries(_ path: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }
        // A sanitizer that looks up a name talks to a program by pipes; no transport has one.
        let descriptors = entries("/proc/self/fd").filter {
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            return target?.hasPrefix("pipe:") != true
        }
        return Leftovers(
            descriptors: descriptors.count, threads: entries("/proc/self/task").count, sources: CountedSource.count)
    }

    /// What is left once nothing has ended for a while: the threads of stopped servers and dispatch's workers end by themselves,
    /// the latter when they have had nothing to do for five seconds. The thread is blocked, since a task that sleeps has dispatch
    /// wake them in turn.
    static func settled() -> Leftovers {
        var (last, quiet) = (now, 0)
        for _ in 0..<300 where quiet < 70 {
            Thread.sleep(forTimeInterval: 0.1)
            let now = now
            quiet = now == last ? quiet + 1 : 0
            last = now
        }
        return last
    }
}
