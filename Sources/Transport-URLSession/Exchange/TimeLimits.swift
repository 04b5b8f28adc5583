// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// The limits on one exchange's time, as a value that knows no clock: it is told the time and says what to do.
///
/// All times are since the exchange began.
struct TimeLimits {
    private let connect: Duration?
    private let idle: Duration?
    private let total: (duration: Duration, kind: Timeouts.Kind)?

    private var lastActivity: Duration = .zero
    private var connectingSince: Duration?
    private var isConnected = false
    private var isHeld = false
    private var isAwaitingBody = false

    /// - Parameter total: the limit on the whole exchange, and which of the timeouts it comes from.
    init(_ timeouts: Timeouts, total: (duration: Duration, kind: Timeouts.Kind)?) {
        connect = timeouts.connect
        idle = timeouts.idle
        self.total = total
    }

    enum Verdict: Equatable {
        case passed(Timeouts.Kind)
        case look(at: Duration)
        /// Nothing limits the exchange.
        case never
    }

    /// The backend connects from now on, and will show when it is connected.
    mutating func beginConnecting(at time: Duration) {
        if !isConnected { connectingSince = time }
    }

    /// Bytes went out or came in.
    mutating func noteActivity(at time: Duration) {
        notePreparation(at: time)
        (isConnected, connectingSince) = (true, nil)
    }

    /// A body is made ready to be sent.
    mutating func notePreparation(at time: Duration) { lastActivity = max(lastActivity, time) }

    /// The reader holds the transfer back, or lets it go again: silence does not count meanwhile.
    ///
    /// - Returns: whether that is news.
    mutating func setHeld(_ isHeld: Bool, at time: Duration) -> Bool {
        guard self.isHeld != isHeld else { return false }
        self.isHeld = isHeld
        lastActivity = max(lastActivity, time)
        return true
    }

    /// The producer of the request's body has nothing yet, or has something again: its silence is not the server's.
    mutating func setAwaitingBody(_ isAwaiting: Bool, at time: Duration) {
        isAwaitingBody = isAwaiting
        notePreparation(at: time)
    }

    /// Which limit has passed, or when to look again.
    func verdict(at time: Duration) -> Verdict {
        var ends: [(end: Duration, kind: Timeouts.Kind)] = []
        if let total { ends.append((total.duration, total.kind)) }
        if let connect, let connectingSince { ends.append((connectingSince + connect, .connect)) }
        if let idle, !isHeld, !isAwaitingBody { ends.append((lastActivity + idle, .idle)) }
        guard let first = ends.min(by: { $0.end < $1.end }) else { return .never }
        return first.end <= time ? .passed(first.kind) : .look(at: first.end)
    }
}
