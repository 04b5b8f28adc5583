// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting

/// A virtual clock that does something before each wait.
struct CallbackClock: NetworkClock {
    private let clock = VirtualClock()
    private let beforeSleep: @Sendable () -> Void

    init(beforeSleep: @escaping @Sendable () -> Void) {
        self.beforeSleep = beforeSleep
    }

    var now: Duration { clock.now }
    var date: Date { clock.date }

    func sleep(for duration: Duration) async throws {
        beforeSleep()
        try await clock.sleep(for: duration)
    }
}
