// SPDX-License-Identifier: Apache-2.0

import Harness

/// What the layers cost without a network: processor time of one operation, and its allocations when they are counted.
///
///     cpu_ns=… [mallocs=…] [mb_per_s=…] [per_s=…] | NAME
struct Micro {
    /// How often each operation runs; fewer when only allocations are wanted.
    private let scale: Double

    static func run() async throws {
        // Counting makes each allocation dearer: times are taken in a run of their own.
        let micro = Micro(scale: Allocations.count == nil ? 1 : 0.05)
        try await micro.layers()
        try await micro.caching()
        try await micro.cassettes()
        try await micro.building()
        try await micro.encoding()
        try await micro.parsing()
        // Time by the clock: without meaning where allocations are counted.
        if Allocations.count == nil { try await micro.blocking() }
    }

    func measure(
        _ name: String, _ usual: Int = 100_000, bytes: Int = 0, items: Int = 0, _ operation: () async throws -> Void
    ) async rethrows {
        let count = max(2, Int(Double(usual) * scale))
        for _ in 0..<max(1, count / 20) { try await operation() }
        let start = Start()
        for _ in 0..<count { try await operation() }
        start.report(name, count, bytes: bytes, items: items)
    }

    func measure(
        _ name: String, _ usual: Int = 100_000, bytes: Int = 0, items: Int = 0, _ operation: () throws -> Void
    ) rethrows {
        let count = max(2, Int(Double(usual) * scale))
        for _ in 0..<max(1, count / 20) { try operation() }
        let start = Start()
        for _ in 0..<count { try operation() }
        start.report(name, count, bytes: bytes, items: items)
    }

    private struct Start {
        let mallocs = Allocations.count
        let cpu = CPUTime.now

        /// - Parameters:
        ///   - bytes: what one operation reads or writes.
        ///   - items: how many things one operation makes.
        func report(_ name: String, _ count: Int, bytes: Int, items: Int) {
            let seconds = (CPUTime.now - cpu).total / 1e6 / Double(count)
            var figures = [("cpu_ns", seconds * 1e9)]
            if let mallocs, let now = Allocations.count {
                figures.append(("mallocs", Double(now - mallocs) / Double(count)))
            }
            if bytes > 0 { figures.append(("mb_per_s", Double(bytes) / seconds / 1e6)) }
            if items > 0 { figures.append(("per_s", Double(items) / seconds)) }
            print(name, terminator: "|")
            Harness.report(figures)
        }
    }
}
