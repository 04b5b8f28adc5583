// SPDX-License-Identifier: Apache-2.0

/// Counts what a task does without waiting, so that it can let others run now and then: what comes as fast as it is read would
/// otherwise give it one of the few threads for itself.
package struct TaskTurn: Sendable {
    private static let length = 128
    private var rest = Self.length

    package init() {}

    /// - Returns: whether others are to run now, by `Task.yield()`.
    package mutating func isOver(after work: Int = 1) -> Bool {
        rest -= work
        guard rest <= 0 else { return false }
        rest = Self.length
        return true
    }
}
