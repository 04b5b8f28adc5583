// SPDX-License-Identifier: Apache-2.0

/// How many connections a loop keeps when their requests are over, so that idle connections leave descriptors to
/// others. Busy connections count as well: with a limit below their number, each further request would open a
/// connection of its own.
struct ConnectionLimit {
    static let initial = 16_384

    private let descriptors = descriptorLimit
    private(set) var openSockets = 0
    private var limit = Self.initial
    private var reported = Self.initial

    mutating func opened(_ socket: Int32) {
        openSockets += 1
        // The system gives out the lowest free number, so that three quarters of all descriptors are in use. An eighth
        // of them is kept in any case, because the other users may need theirs for a moment only.
        if Int(socket) > descriptors / 4 * 3 { limit = min(limit, max(openSockets, descriptors / 8)) }
    }

    mutating func closed() { openSockets -= 1 }

    /// The limit, when it has changed.
    mutating func takeChange() -> Int? {
        guard limit != reported else { return nil }
        reported = limit
        return limit
    }
}
