// SPDX-License-Identifier: Apache-2.0

// A server that answers by asking another one: with metrics, a circuit breaker, and an end in good order.
//
//     swift run Gateway https://quotes.example
//
// GET /quote asks the service behind it, GET /metrics tells how the calls went. SIGTERM ends it when the calls under way have
// ended.

import Foundation
import Strata

/// Not `print`, which keeps its text back where standard output is no terminal.
@Sendable func log(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

struct Quote: Decodable, Sendable { var text: String }

let metrics = Metrics()
var thresholds = CircuitBreakerMiddleware.Thresholds()
thresholds.failures = 3
let breaker = CircuitBreakerMiddleware(thresholds)
let watch = breaker.onChange { log("the circuit is \($0.to)") }

// One client for all requests, outermost what counts.
let client = NetworkClient(
    baseURL: CommandLine.arguments.dropFirst().first ?? "https://quotes.example",
    middleware: [
        MetricsMiddleware { metrics.record($0) }, breaker, ConcurrencyLimitMiddleware(50),
        TimeoutMiddleware(.seconds(2)),
    ])

let server = try SmallServer()
log("listening on \(server.port)")

signal(SIGTERM, SIG_IGN)
let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
termination.setEventHandler {
    Task {
        log("draining")
        // Refuses new calls, and lets those under way end.
        await client.drain(within: .seconds(5))
        server.stop()
    }
}
termination.resume()

await server.run { path in
    if path == "/metrics" { return .init(text: metrics.text) }
    do {
        let quote: Quote = try await client.get("quote")
        return .init(text: quote.text + "\n")
    } catch let error as NetworkClientError where error.isUnprocessed {
        // Nothing was sent: the circuit is open, too many calls are under way, or the server ends.
        return .init(status: 503, text: "\(error.code)\n")
    } catch {
        return .init(status: 502, text: "the service behind has failed\n")
    }
}
watch.end()
log("ended")
