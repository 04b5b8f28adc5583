// SPDX-License-Identifier: Apache-2.0

/// When libcurl is to be called though nothing has come on its sockets: because there is a new handle, or because it asked.
struct CallSchedule {
    /// Whether libcurl is to be called before the loop waits.
    private(set) var isDue = false
    /// When libcurl is to be called at the latest, in nanoseconds.
    private(set) var timer = UInt64.max
    private var hasProgressed = false
    private var fruitless = 0

    /// How many calls in a row may be for nothing.
    static let patience = 4

    /// How long libcurl waits when it asks to be called at once, again and again, for nothing, in nanoseconds.
    static let pause: UInt64 = 5_000_000

    mutating func request() { isDue = true }

    /// libcurl has called back, so that its being called was not for nothing.
    mutating func noteProgress() { hasProgressed = true }

    /// Something is new for libcurl to act on.
    mutating func noteCommands() { fruitless = 0 }

    /// libcurl asks to be called after so many milliseconds; after a negative number of them, not at all.
    mutating func request(after milliseconds: Int, now: @autoclosure () -> UInt64) {
        if milliseconds == 0 {
            request()
        } else {
            timer = milliseconds < 0 ? .max : now() &+ UInt64(milliseconds) &* 1_000_000
        }
    }

    /// libcurl is about to be called.
    mutating func begin() {
        (isDue, hasProgressed) = (false, false)
        timer = .max
    }

    /// libcurl has been called. Version 8.14 asks to be called at once for as long as a transfer is paused, and does nothing
    /// then.
    mutating func end(now: UInt64) {
        fruitless = hasProgressed || !isDue ? 0 : fruitless + 1
        guard isDue, fruitless >= Self.patience else { return }
        isDue = false
        timer = now &+ Self.pause
    }
}
