// SPDX-License-Identifier: Apache-2.0

/// Measures a WebSocket to an echo server (`Benchmarks/sockets.py`), and reports one line of figures:
///
///     n=… p50_us=… p99_us=… cpu_us=… rps=… [mallocs=…] of messages there and back, one by one
///     messages_s=… how many go there and back in a second when 64 are under way
///     read_s=… how many are read in a second when the server sends all at once
public struct SocketMeasurement {
    private let count: Int
    private static let underWay = 64

    public init(_ arguments: Arguments) { count = arguments.number("n", 20_000) }

    /// - Parameters:
    ///   - send: sends one message.
    ///   - receive: receives one.
    ///   - burst: asks the server to send so many.
    public nonisolated(nonsending) func run(
        sending send: () async throws -> Void, receiving receive: () async throws -> Void,
        bursting burst: (Int) async throws -> Void
    ) async throws {
        for _ in 0..<500 {
            try await send()
            try await receive()
        }
        var times: [UInt64] = []
        times.reserveCapacity(count)
        let (mallocs, cpu, start) = (Allocations.count, CPUTime.now, monotonic())
        for _ in 0..<count {
            let begin = monotonic()
            try await send()
            try await receive()
            times.append(monotonic() - begin)
        }
        let (spent, wall) = (CPUTime.now - cpu, Double(monotonic() - start) / 1e9)
        let mallocsAfter = Allocations.count
        times.sort()
        let many = monotonic()
        for number in 0..<count {
            try await send()
            if number >= Self.underWay { try await receive() }
        }
        for _ in 0..<min(count, Self.underWay) { try await receive() }
        let passing = Double(monotonic() - many) / 1e9
        // Many at once from the other end: what reading alone costs.
        let begin = monotonic()
        try await burst(count)
        for _ in 0..<count { try await receive() }
        let reading = Double(monotonic() - begin) / 1e9
        let n = Double(count)
        var figures = [
            ("n", n), ("p50_us", Double(times[count / 2]) / 1e3), ("p99_us", Double(times[count * 99 / 100]) / 1e3),
            ("cpu_us", spent.total / n), ("rps", n / wall), ("messages_s", n / passing),
            ("read_s", n / reading),
        ]
        if let mallocs, let mallocsAfter { figures.append(("mallocs", Double(mallocsAfter - mallocs) / n)) }
        report(figures)
    }
}
