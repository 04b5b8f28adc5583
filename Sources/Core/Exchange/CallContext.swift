// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// What the layers of one call share: the clock, the deadline and the record that grows with each attempt.
///
/// ``NetworkClientProtocol/execute(_:)`` makes one for each call; middleware find it in ``TransportRequest/call``. One that
/// calls `next` again says why before it does:
///
///     request.call?.nextAttempt(.retry(cause: "503", waited: wait))
///     return try await next(request)
public final class CallContext: Sendable {
    /// The client's clock, by which middleware measure and wait.
    public let clock: any NetworkClock
    /// When the call began, by ``clock``.
    public let started: Duration
    private let deadline: Duration?

    private struct State {
        var record = ExchangeRecord()
        var reason = ExchangeRecord.Reason.first
    }

    private let state = Mutex(State())

    /// - Parameter deadline: the time for the whole call, from now on.
    public init(clock: any NetworkClock = SystemClock(), deadline: Duration? = nil) {
        self.clock = clock
        started = clock.now
        self.deadline = deadline
    }

    /// Time left until the deadline, negative when it has passed; `nil` when there is none.
    public var remaining: Duration? {
        deadline.map { $0 - (clock.now - started) }
    }

    /// Says why the next attempt is made.
    public func nextAttempt(_ reason: ExchangeRecord.Reason) {
        state.withLock { $0.reason = reason }
    }

    /// What has happened until now.
    public var record: ExchangeRecord {
        let total = clock.now - started
        return state.withLock { state in
            var record = state.record
            record.total = total
            return record
        }
    }

    /// Begins an attempt; its number is what the other functions want.
    func beginAttempt(_ request: TransportRequest, transport: String) -> Int {
        let started = clock.now - started
        let path = request.head.path ?? "/"
        let end = path.utf8.firstIndex(of: UInt8(ascii: "?")) ?? path.endIndex
        let url = "\(request.head.scheme ?? "")://\(request.head.authority ?? "")\(path[..<end])"
        return state.withLock { state in
            state.record.attempts.append(
                .init(
                    reason: state.reason, method: request.head.method, url: url, started: started, transport: transport)
            )
            state.reason = .other("again")
            return state.record.attempts.count - 1
        }
    }

    func update(_ attempt: Int, _ change: (inout ExchangeRecord.Attempt) -> Void) {
        state.withLock { change(&$0.record.attempts[attempt]) }
    }

    /// How an attempt failed, on its head or in its body; the error with the record attached.
    func fail(_ attempt: Int, _ error: any Error) -> any Error {
        let elapsed = clock.now - started
        update(attempt) { attempt in
            if attempt.duration == nil { attempt.duration = elapsed - attempt.started }
            if let error = error as? NetworkClientError {
                attempt.error = error.code
            } else if error is CancellationError {
                attempt.isCancelled = true
            } else {
                attempt.error = .internalFailure
            }
        }
        guard var error = error as? NetworkClientError else { return error }
        error.exchange = record
        return error
    }
}
