// SPDX-License-Identifier: Apache-2.0

/// How many exchanges in a row were alone and had their answer at once, which tells what the next is likely to do.
struct QuickAnswers {
    private var count = 0

    /// Whether the next call may wait for its answer in its own thread.
    ///
    /// One call in 32 leaves its thread to other tasks. They may be waiting for it, and may have requests of their own, in
    /// which case calls are no longer alone.
    var promiseAnother: Bool { count >= 8 && count % 32 != 0 }

    mutating func note(isQuick: Bool) { count = isQuick ? count + 1 : 0 }

    mutating func end() { count = 0 }
}
