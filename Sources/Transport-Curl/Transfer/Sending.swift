// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport

/// How the body of a request goes out: how far it is, and what it waits for. Times are in nanoseconds.
struct Sending {
    /// Whether libcurl is told not to ask for more.
    var isPaused = false
    /// How many bytes libcurl has taken.
    private(set) var taken = 0
    /// How many of them it had written at the last look.
    private var written: Int64 = 0
    /// When the last byte goes out though its source has not ended.
    private var heldUntil = UInt64.max
    /// When an answer in full ends the exchange though the body is still on its way.
    private var answerStandsAt = UInt64.max
    /// When libcurl, told to go on for a moment, is asked whether the answer or the connection has ended.
    private var pauseCheckAt = UInt64.max

    /// How long the last byte waits for the end of its source, and how long a complete answer waits for a server that takes
    /// nothing more.
    static let hold: UInt64 = 1_000_000_000
    /// How long a refused body stays paused.
    static let refusalCheck: UInt64 = 50_000_000
    /// How long a body that has no bytes yet stays paused, where libcurl has to be asked.
    static let starvationCheck: UInt64 = 1_000_000_000

    /// When one of its moments comes.
    var nextCheck: UInt64 { min(heldUntil, answerStandsAt, pauseCheckAt) }

    mutating func took(_ count: Int) { taken += count }

    /// The body is sent from its beginning.
    mutating func rewind() { taken = 0 }

    /// - Returns: whether it is more than at the last look.
    mutating func note(written count: Int64?) -> Bool {
        guard let count, count > written else { return false }
        written = count
        return true
    }

    // MARK: - Pauses

    /// Stops sending a body that the server has refused, without marking its end. While sending is paused, libcurl does
    /// not report the end of the answer unless it is asked.
    mutating func pauseRefused(now: UInt64) {
        isPaused = true
        pauseCheckAt = now.saturatingAdd(Self.refusalCheck)
    }

    /// Waits for a body that has no bytes yet.
    ///
    /// - Parameter isAsked: whether libcurl has to be asked meanwhile, since it does not report that the server has gone.
    /// - Returns: whether it is asked from now on.
    mutating func pauseStarving(now: UInt64, isAsked: Bool) -> Bool {
        isPaused = true
        guard isAsked, pauseCheckAt == .max else { return false }
        pauseCheckAt = now.saturatingAdd(Self.starvationCheck)
        return true
    }

    /// - Returns: whether libcurl is asked now.
    mutating func checksPause(now: UInt64) -> Bool {
        guard pauseCheckAt <= now else { return false }
        pauseCheckAt = .max
        return isPaused
    }

    // MARK: - The last byte

    /// Holds the last byte of an announced length, whose source has not ended.
    ///
    /// - Returns: whether it is held from now on.
    mutating func holdLastByte(now: UInt64) -> Bool {
        guard heldUntil == .max else { return false }
        heldUntil = now.saturatingAdd(Self.hold)
        return true
    }

    /// - Returns: whether it may go now.
    mutating func releasesLastByte(now: UInt64) -> Bool {
        guard heldUntil <= now else { return false }
        heldUntil = .max
        return isPaused
    }

    // MARK: - An answer before the body's end

    /// The answer is there in full.
    ///
    /// - Returns: whether that is new.
    mutating func answerCame(now: UInt64) -> Bool {
        guard answerStandsAt == .max else { return false }
        answerStandsAt = now.saturatingAdd(Self.hold)
        return true
    }

    func answerIsDue(now: UInt64) -> Bool { answerStandsAt <= now }

    /// The server takes more of the body, so the answer waits again.
    mutating func putOffAnswer(now: UInt64) {
        if answerStandsAt != .max { answerStandsAt = now.saturatingAdd(Self.hold) }
    }
}
