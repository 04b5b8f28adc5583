// SPDX-License-Identifier: Apache-2.0

import StrataCore
import TestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A clock by which every wait lasts until its task is cancelled.
struct StuckClock: NetworkClock {
    /// Called when a wait begins.
    let onSleep: @Sendable () -> Void

    init(_ onSleep: @escaping @Sendable () -> Void) {
        self.onSleep = onSleep
    }

    var now: Duration { .zero }
    var date: Date { Date(timeIntervalSince1970: 0) }

    func sleep(for duration: Duration) async throws {
        onSleep()
        try await untilCancelled()
    }
}
