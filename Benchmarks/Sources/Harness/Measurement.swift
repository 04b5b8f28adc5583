// SPDX-License-Identifier: Apache-2.0

/// Runs an operation many times, so many at once, and reports one line of figures:
///
///     c=64 n=40000 rps=… cpu_us=… user_us=… sys_us=… p50_us=… p99_us=… rss_kb=… [mallocs=… own_mallocs=…]
public struct Measurement: Sendable {
    public var concurrency: Int
    public var count: Int
    /// Operations before the measured ones: connections open, caches fill.
    public var warmUp: Int
    /// Where the operations run, in turn by worker; empty: in Swift's thread pool.
    public var executors: [any TaskExecutor] = []

    public init(_ arguments: Arguments, executors: [any TaskExecutor] = []) {
        self.init(
            concurrency: arguments.number("c", 64), count: arguments.number("n", 20000),
            warmUp: arguments.number("warm", 2000))
        self.executors = executors
    }

    public init(concurrency: Int, count: Int, warmUp: Int) {
        self.concurrency = concurrency
        self.count = count
        self.warmUp = warmUp
    }

    /// - Parameter operation: returns the bytes that it moved.
    public func run(_ operation: @escaping @Sendable () async throws -> Int) async throws {
        report(try await figures(operation))
    }

    public func figures(_ operation: @escaping @Sendable () async throws -> Int) async throws -> [(String, Double)] {
        if warmUp > 0 { _ = try await round(warmUp, operation) }
        let (mallocs, own) = (Allocations.count, Allocations.ownCount)
        let cpu = CPUTime.now
        let begin = monotonic()
        var (latencies, bytes) = try await round(count, operation)
        let wall = Double(monotonic() - begin) / 1e9
        let used = CPUTime.now - cpu
        let (mallocsAfter, ownAfter) = (Allocations.count, Allocations.ownCount)
        latencies.sort()
        let n = Double(latencies.count)
        func percentile(_ part: Double) -> Double { Double(latencies[min(latencies.count - 1, Int(n * part))]) / 1000 }
        var figures: [(String, Double)] = [
            ("c", Double(concurrency)), ("n", n), ("rps", n / wall), ("cpu_us", used.total / n),
            ("user_us", used.user / n), ("sys_us", used.system / n), ("p50_us", percentile(0.5)),
            ("p99_us", percentile(0.99)), ("rss_kb", Double(Memory.peak)), ("bytes", Double(bytes) / n),
        ]
        if let mallocs, let mallocsAfter { figures.append(("mallocs", Double(mallocsAfter - mallocs) / n)) }
        if let own, let ownAfter { figures.append(("own_mallocs", Double(ownAfter - own) / n)) }
        return figures
    }

    private func round(
        _ total: Int, _ operation: @escaping @Sendable () async throws -> Int
    ) async throws -> (latencies: [UInt32], bytes: Int) {
        let each = max(1, total / concurrency)
        @Sendable func work() async throws -> ([UInt32], Int) {
            var latencies: [UInt32] = []
            latencies.reserveCapacity(each)
            var bytes = 0
            for _ in 0..<each {
                let begin = monotonic()
                bytes += try await operation()
                latencies.append(UInt32(truncatingIfNeeded: monotonic() - begin))
            }
            return (latencies, bytes)
        }
        return try await withThrowingTaskGroup(of: ([UInt32], Int).self) { group in
            for number in 0..<concurrency {
                let executor = executors.isEmpty ? nil : executors[number % executors.count]
                group.addTask(executorPreference: executor) { try await work() }
            }
            var all: [UInt32] = []
            all.reserveCapacity(each * concurrency)
            var bytes = 0
            for try await (latencies, count) in group {
                all += latencies
                bytes += count
            }
            return (all, bytes)
        }
    }
}
