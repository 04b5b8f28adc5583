// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value that a callback needs before it exists.
final class Box<Value: Sendable>: Sendable {
    private let stored = Mutex<Value?>(nil)

    var value: Value? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}

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
        for await _ in AsyncStream<Never>(unfolding: {
            // Ends with the task alone.
            try? await Task.sleep(for: .seconds(86_400))
            return nil
        }) {}
        throw CancellationError()
    }
}
