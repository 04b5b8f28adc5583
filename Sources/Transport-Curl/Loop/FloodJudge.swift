// SPDX-License-Identifier: Apache-2.0

/// Tells which connection keeps a loop in one call into libcurl.
///
/// Over HTTP/2 libcurl (7.88) reads until a stream has something, and over TLS OpenSSL reads until there is data. Whoever
/// sends what carries nothing (empty DATA, PING acknowledgements, tickets) faster than it is read keeps them reading, and all
/// other exchanges waiting (RFC 9113 §10.5). No callback is made meanwhile, so the judge looks from outside, now and then: at
/// how far the loop is, and at how much has been taken from each socket.
struct FloodJudge {
    /// What is seen at one look.
    struct Look {
        /// Differs whenever the loop has come further: libcurl has been called, or has called back.
        var step: UInt64
        /// How many bytes have been taken from each socket so far.
        var taken: [Int32: UInt64]
    }

    /// How much is taken from a socket between two looks when it is what keeps the loop, in bytes. Less may be one record of
    /// TLS, or one read.
    static let least: UInt64 = 64 * 1024
    /// At how many looks in a row.
    static let looks = 2
    /// What may still come of a stream that was cancelled, which libcurl reads and drops: the window that it grants.
    static let cancelledStream: UInt64 = 32 << 20

    private var last: Look?
    private var counts: [Int32: Int] = [:]
    private var allowances: [Int32: UInt64] = [:]

    /// A stream was cancelled on this connection.
    mutating func allow(_ socket: Int32) { allowances[socket, default: 0] += Self.cancelledStream }

    mutating func closed(_ socket: Int32) { allowances[socket] = nil }

    /// - Parameter step: of the loop now; `nil` when it is in no call.
    /// - Returns: whether the sockets have to be looked at.
    mutating func isSuspicious(step: UInt64?) -> Bool {
        if let step, step == last?.step { return true }
        last = step.map { Look(step: $0, taken: [:]) }
        counts = [:]
        return false
    }

    /// - Returns: the connections to be ended.
    mutating func judge(_ look: Look) -> [Int32] {
        defer { last = look }
        guard let last, last.step == look.step else { return [] }
        var ended: [Int32] = []
        for (socket, taken) in look.taken {
            guard let before = last.taken[socket] else { continue }
            let growth = spendAllowance(of: socket, taken &- before)
            counts[socket] = growth >= Self.least ? counts[socket, default: 0] + 1 : 0
            if counts[socket, default: 0] >= Self.looks { ended.append(socket) }
        }
        for socket in ended { counts[socket] = nil }
        return ended
    }

    /// - Returns: what is left of the growth.
    private mutating func spendAllowance(of socket: Int32, _ growth: UInt64) -> UInt64 {
        guard let allowance = allowances[socket] else { return growth }
        allowances[socket] = allowance > growth ? allowance - growth : nil
        return growth - min(growth, allowance)
    }
}
