// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// Whether, and how long after a lost connection, an ``EventSource`` opens the next one.
///
/// The wait is what the server asked for by `retry`, else ``initialDelay``. It doubles with each failure in a row, up
/// to ``maximumDelay``, and is lengthened by a random part, so that the clients of a restarted server do not come back
/// at once. A connection counts as a failure when it gave no event, and was open for less than a minute or fell silent.
public struct ReconnectionPolicy: Sendable {
    /// Which requests are repeated.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Scope: Hashable, Sendable {
        /// `GET` alone.
        case safeMethod
        /// Every method: sending the request again must do no harm, and its body must be replayable.
        case everyMethod
        /// None: the stream ends with its first connection.
        case never
    }

    /// Default: ``Scope/safeMethod``.
    public var scope = Scope.safeMethod
    /// The wait until the server names another. Default: 3 seconds.
    public var initialDelay = Duration.seconds(3)
    /// The shortest wait that a server can ask for after more than three connections in a row that were open for less than
    /// a second. Default: half a second.
    ///
    /// It doubles with each further one, up to ``initialDelay``: a server that asks for no wait, and ends each connection
    /// after an event, is not asked in a loop.
    public var minimumDelay = Duration.milliseconds(500)
    /// The longest wait that doubling leads to. A longer wait that the server asks for is kept, up to a day. Default:
    /// 60 seconds.
    public var maximumDelay = Duration.seconds(60)
    /// By which part of itself a wait is lengthened at most, at random: 0.5 (default) makes it up to half as long
    /// again. At most 10.
    public var jitter = 0.5
    /// After how many failures in a row the stream ends; the last one is thrown. At least 1. `nil` (default): never.
    public var maximumFailures: Int?
    /// Statuses that are taken for a lost connection, such as 502 and 503. Default: none, every status but 200 is
    /// final.
    ///
    /// A `Retry-After` then lengthens the wait, up to a day.
    public var transientStatuses: Set<Int> = []
    /// Which failures are taken for a lost connection. Default: ``isTransient(_:)``.
    public var reconnectsAfter: @Sendable (any Error) -> Bool = { isTransient($0) }
    /// The source of ``jitter``, from 0 up to 1.
    package var randomness: @Sendable () -> Double = { Double.random(in: 0..<1) }
    /// Called before each wait.
    public var onReconnect: (@Sendable (Reconnection) -> Void)?

    public init() {}

    /// A reconnection that is about to happen.
    public struct Reconnection: Sendable {
        /// How long it waits.
        public let delay: Duration
        /// What ended the connection before; `nil` when its body ended in good order.
        public let cause: (any Error)?
        /// The number of failures in a row, the last connection included; 0 when that was no failure.
        public let failures: Int
    }
}

extension ReconnectionPolicy {
    /// Whether an error means a lost connection: no connection could be made, also because the proxy is out of reach;
    /// it broke or fell silent; or what came was no valid HTTP, or damaged in its content coding.
    ///
    /// All other errors are final: a certificate that is not trusted, or an event that is too large, would be so again.
    public static func isTransient(_ error: any Error) -> Bool {
        guard let error = error as? NetworkClientError else { return false }
        return error.isTransient || error.code == .protocolViolation || error.code == .contentEncodingFailed
    }

    func allows(_ request: TransportRequest) -> Bool {
        switch scope {
        case .safeMethod: request.head.method == .get
        case .everyMethod: true
        case .never: false
        }
    }

    /// How long a connection has to be open to be none that the server ends at once, and how many of these in a row do no
    /// harm.
    package static let brief = Duration.seconds(1)
    private static let harmlessCount = 3

    /// How long a connection without an event has to be open to be no failure.
    package static let lasting = Duration.seconds(60)

    /// The longest wait, except for its random part.
    static let longestDelay = Duration.seconds(86_400)

    /// The wait before the next connection.
    ///
    /// - Parameters:
    ///   - failures: as ``Reconnection/failures``.
    ///   - asked: what the server asked for by `retry`.
    ///   - briefConnections: how many connections in a row were open for less than ``brief``.
    ///   - retryAfter: the shortest wait that a refusal asked for.
    package func delay(
        failures: Int, asked: Duration?, briefConnections: Int = 0, retryAfter: Duration? = nil
    ) -> Duration {
        let wanted = asked.map { $0 < minimumDelay ? max($0, floor(after: briefConnections)) : $0 } ?? initialDelay
        let base = min(max(wanted, .zero), Self.longestDelay)
        var delay = base
        if failures > 1 {
            let ceiling = max(base, min(maximumDelay, Self.longestDelay))
            // Without any wait there would be nothing to double.
            delay = max(base, .milliseconds(100))
            for _ in 1..<min(failures, 64) where delay < ceiling { delay *= 2 }
            delay = min(delay, ceiling)
        }
        if let retryAfter { delay = max(delay, min(retryAfter, Self.longestDelay)) }
        // Written so that a part that is no number counts as none.
        let part = (jitter > 0 ? min(jitter, 10) : 0) * min(max(randomness(), 0), 1)
        return part > 0 ? delay * (1 + part) : delay
    }

    /// Tells that a reconnection is about to happen.
    package func report(delay: Duration, cause: (any Error)?, failures: Int) {
        onReconnect?(Reconnection(delay: delay, cause: cause, failures: failures))
    }

    private func floor(after briefConnections: Int) -> Duration {
        guard briefConnections > Self.harmlessCount else { return .zero }
        var floor = max(minimumDelay, .milliseconds(1))
        for _ in (Self.harmlessCount + 1)..<min(briefConnections, 64) where floor < initialDelay { floor *= 2 }
        return min(floor, max(initialDelay, minimumDelay))
    }
}
