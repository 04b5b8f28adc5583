// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs an operation many times, so many at once, and prints one line of figures that `bench.py` reads.
///
///     name=… c=64 n=40000 rps=… cpu_us=… user_us=… sys_us=… p50_us=… p99_us=… rss_kb=…
public struct Measurement: Sendable {
    public var name: String
    public var concurrency: Int
    public var count: Int
    /// Operations before the measured ones: connections open, caches fill.
    public var warmUp: Int
    /// Where the tasks run; `nil`: the default executor.
    public var executor: (any TaskExecutor)?

    public init(name: String, concurrency: Int, count: Int, warmUp: Int, executor: (any TaskExecutor)? = nil) {
        self.name = name
        self.concurrency = concurrency
        self.count = count
        self.warmUp = warmUp
        self.executor = executor
    }

    /// - Parameter operation: returns the bytes that it moved.
    public func run(_ operation: @escaping @Sendable () async throws -> Int) async throws {
        if warmUp > 0 { _ = try await rounds(warmUp, operation) }
        let cpu = CPUTime.now
        let begin = monotonic()
        var (latencies, bytes) = try await rounds(count, operation)
        let wall = Double(monotonic() - begin) / 1e9
        let used = CPUTime.now - cpu
        latencies.sort()
        let n = Double(latencies.count)
        func percentile(_ part: Double) -> Double { Double(latencies[min(latencies.count - 1, Int(n * part))]) / 1000 }
        print(
            "name=\(name) c=\(concurrency) n=\(latencies.count) rps=\(Int(n / wall)) cpu_us=\(tenths((used.user + used.system) / n))",
            "user_us=\(tenths(used.user / n)) sys_us=\(tenths(used.system / n)) p50_us=\(tenths(percentile(0.5)))",
            "p99_us=\(tenths(percentile(0.99))) rss_kb=\(peakMemory()) bytes=\(bytes / max(1, latencies.count))")
    }

    private func rounds(
        _ total: Int, _ operation: @escaping @Sendable () async throws -> Int
    ) async throws -> (latencies: [UInt32], bytes: Int) {
        let each = max(1, total / concurrency)
        return try await withThrowingTaskGroup(of: ([UInt32], Int).self) { group in
            for _ in 0..<concurrency {
                group.addTask(executorPreference: executor) {
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
            }
            var all: [UInt32] = []
            var bytes = 0
            for try await (latencies, count) in group {
                all += latencies
                bytes += count
            }
            return (all, bytes)
        }
    }

    private func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// Processor time of this process, in microseconds.
public struct CPUTime: Sendable {
    public var user: Double
    public var system: Double

    public static var now: CPUTime {
        let usage = resourceUsage()
        func microseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e6 + Double(time.tv_usec) }
        return CPUTime(user: microseconds(usage.ru_utime), system: microseconds(usage.ru_stime))
    }

    public static func - (one: CPUTime, other: CPUTime) -> CPUTime {
        CPUTime(user: one.user - other.user, system: one.system - other.system)
    }
}

/// Nanoseconds since some moment.
@inline(__always)
public func monotonic() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The most memory that was resident, in KiB.
public func peakMemory() -> Int {
    #if canImport(Darwin)
    resourceUsage().ru_maxrss / 1024
    #else
    resourceUsage().ru_maxrss
    #endif
}

private func resourceUsage() -> rusage {
    var usage = rusage()
    #if canImport(Glibc)
    getrusage(RUSAGE_SELF, &usage)
    #else
    getrusage(RUSAGE_SELF, &usage)
    #endif
    return usage
}

/// `KEY=value` arguments of the command line.
public struct Arguments: Sendable {
    private let values: [String: String]

    public init() {
        values = Dictionary(
            CommandLine.arguments.dropFirst().compactMap { argument in
                let pair = argument.split(separator: "=", maxSplits: 1).map(String.init)
                return pair.count == 2 ? (pair[0], pair[1]) : nil
            }, uniquingKeysWith: { $1 })
    }

    public func text(_ key: String, _ fallback: String) -> String { values[key] ?? fallback }
    public func number(_ key: String, _ fallback: Int) -> Int { values[key].flatMap(Int.init) ?? fallback }
}
