// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// One timer that is set again and again, and can be stopped for good.
final class ExchangeTimer: @unchecked Sendable {
    // Unchecked because a dispatch source is not marked Sendable; all its functions may be called from any thread.
    private let source: any DispatchSourceTimer

    /// - Parameter fire: called on `queue`; not called any more some time after ``stop()``.
    init(queue: DispatchQueue, fire: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler(handler: fire)
        source.activate()
    }

    func set(after duration: Duration) {
        let (seconds, attoseconds) = duration.components
        // A year is for ever, and keeps the arithmetic of DispatchTime in range.
        let nanoseconds = min(max(seconds, 0), 365 * 86_400) * 1_000_000_000 + max(attoseconds / 1_000_000_000, 0)
        source.schedule(
            deadline: .now() + .nanoseconds(Int(nanoseconds)), repeating: .never, leeway: .milliseconds(1))
    }

    func stop() { source.cancel() }

    deinit { source.cancel() }
}
