// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import Synchronization
import TestSupport

/// A clock whose waits end with their task alone.
final class HoldingClock: NetworkClock {
    private let clock: VirtualClock
    private let waits = Mutex(0)

    init(_ clock: VirtualClock) { self.clock = clock }

    var sleepers: Int { waits.withLock { $0 } }
    var now: Duration { clock.now }
    var date: Date { clock.date }

    func sleep(for duration: Duration) async throws {
        waits.withLock { $0 += 1 }
        defer { waits.withLock { $0 -= 1 } }
        try await untilCancelled()
    }
}
