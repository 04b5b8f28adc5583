// SPDX-License-Identifier: Apache-2.0

import Harness
import StrataCore
import StrataCurl

/// Thousands of event streams on which nothing happens: memory for each, processor time at rest, and what a small
/// request costs beside them, in turn with one of a client that has none.
///
///     n=5000 opened_ms=… stream_kb=… rest_percent=… alone_us=… beside_us=… cpu_us=… beside_ratio=…
///     p50_ratio=… rss_kb=…
enum IdleStreams {
    static func run(_ arguments: Arguments) async throws {
        let count = arguments.number("n", 5000)
        let client = benchClient(benchTransport(arguments))
        let small = try TransportRequest(url: arguments.url)
        var stream = try TransportRequest(url: arguments.text("events", "http://127.0.0.1:18090/events"))
        stream.options.delivery = .eventStream
        stream.options.timeouts.attempt = nil
        stream.options.timeouts.idle = nil

        var open = [try await first(of: stream, client)]
        let (memory, begin) = (Memory.current, monotonic())
        for _ in 1..<count { open.append(try await first(of: stream, client)) }
        let opened = monotonic() - begin
        let each = Double(Memory.current - memory) / Double(count - 1)

        // What opening leaves to do is no rest.
        try await Task.sleep(for: .milliseconds(500))
        let (cpu, since) = (CPUTime.now, monotonic())
        try await Task.sleep(for: .seconds(2))
        let rest = 100 * (CPUTime.now - cpu).total / (Double(monotonic() - since) / 1e3)

        // The machine's speed changes from one second to the next.
        let parts = 20
        let requests = Measurement(concurrency: 1, count: arguments.number("gets", 8000) / parts, warmUp: 50)
        let other = benchClient(benchTransport(arguments))
        var (alone, beside) = ([[(String, Double)]](), [[(String, Double)]]())
        for _ in 0..<parts {
            alone.append(try await requests.figures { try await other.execute(small).body.collect().count })
            beside.append(try await requests.figures { try await client.execute(small).body.collect().count })
        }
        let (cpuAlone, cpuBeside) = (median("cpu_us", of: alone), median("cpu_us", of: beside))
        report([
            ("n", Double(count)), ("opened_ms", Double(opened) / 1e6), ("stream_kb", each), ("rest_percent", rest),
            ("alone_us", cpuAlone), ("beside_us", cpuBeside), ("cpu_us", cpuBeside),
            ("beside_ratio", cpuBeside / cpuAlone),
            ("p50_ratio", median("p50_us", of: beside) / median("p50_us", of: alone)), ("rss_kb", Double(Memory.peak)),
        ])
        withExtendedLifetime(open) {}
    }

    private static func median(_ name: String, of parts: [[(String, Double)]]) -> Double {
        let values = parts.compactMap { figures in figures.first { $0.0 == name }?.1 }.sorted()
        return values.isEmpty ? .nan : values[values.count / 2]
    }

    /// A stream whose first event has come.
    private static func first(
        of request: TransportRequest, _ client: NetworkClient
    ) async throws -> ResponseBody.AsyncIterator {
        var events = try await client.execute(request).body.makeAsyncIterator()
        _ = try await events.next()
        return events
    }
}
