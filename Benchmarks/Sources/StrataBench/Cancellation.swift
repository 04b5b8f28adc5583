// SPDX-License-Identifier: Apache-2.0

import Harness
import StrataCore

/// Calls whose answers never come, all cancelled at once.
///
///     n=500 ended_ms=… cancelled=500 left=0 cpu_us=… rss_kb=…
///
/// `left` are the descriptors that are open after `shutdown()` beyond those before the first call.
enum Cancellation {
    static func run(_ arguments: Arguments) async throws {
        let count = arguments.number("n", 500)
        let transport = benchTransport(arguments)
        let client = benchClient(transport)
        let hanging = try TransportRequest(url: arguments.text("hang", "http://127.0.0.1:18090/hang"))
        let waiting = try TransportRequest(url: arguments.text("waiting", "http://127.0.0.1:18090/waiting"))
        let descriptors = openDescriptors()

        let calls = (0..<count).map { _ in
            Task {
                do {
                    _ = try await client.execute(hanging)
                    return false
                } catch {
                    return error is CancellationError
                }
            }
        }
        // Until the server has them all.
        while true {
            let text = try await client.execute(waiting).body.collect()
            if String(decoding: text, as: UTF8.self) == "\(count)" { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        let (cpu, begin) = (CPUTime.now, monotonic())
        for call in calls { call.cancel() }
        var cancelled = 0
        for call in calls where await call.value { cancelled += 1 }
        let ended = monotonic() - begin
        let used = CPUTime.now - cpu
        await transport.shutdown()
        report([
            ("n", Double(count)), ("ended_ms", Double(ended) / 1e6), ("cancelled", Double(cancelled)),
            ("left", Double(max(0, openDescriptors() - descriptors))), ("cpu_us", used.total / Double(count)),
            ("rss_kb", Double(Memory.peak)),
        ])
    }
}
