// SPDX-License-Identifier: Apache-2.0

import Strata
import Synchronization

/// Counts calls by their outcome, for `/metrics`. With swift-metrics, `StrataObservability` does it.
final class Metrics: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func record(_ call: CallMetrics) {
        let outcome = call.status.map { "\($0.code)" } ?? call.error.map { "\($0)" } ?? "cancelled"
        counts.withLock { $0["calls{outcome=\"\(outcome)\"}", default: 0] += 1 }
        let attempts = call.exchange.attempts.count
        counts.withLock { $0["attempts", default: 0] += attempts }
    }

    var text: String { counts.withLock { $0.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined() } }
}
