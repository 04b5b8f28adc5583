// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

extension EventSource {
    /// Closes the stream when it is dropped.
    @_documentation(visibility: internal)
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let settings: EventSourceSettings
        private let lease: ReaderLease<EventSourceConnection>
        private var reader: FrameReader<EventFraming>?
        private var lastEventID: String
        /// The reconnection time that the server asked for by `retry`.
        private var askedDelay: Duration?
        /// See `ReconnectionPolicy.Reconnection.failures`.
        private var failures = 0
        /// How many connections in a row were open for less than `ReconnectionPolicy.brief`.
        private var briefConnections = 0
        /// Whether the present connection has given an event.
        private var hasEvents = false
        /// When the present connection was opened; `nil` while there is none.
        private var openedAt: Duration?
        /// When the first connection was asked for: the deadline counts from there.
        private var startedAt: Duration?
        /// What ended the connection before.
        private var lastFailure: (any Error)?
        /// Whether the stream ended because a body did, and not because it was closed or the server wanted no other
        /// connection.
        private(set) var endedWithBody = false

        init(settings: EventSourceSettings, lease: ReaderLease<EventSourceConnection>) {
            self.settings = settings
            self.lease = lease
            lastEventID = settings.lastEventID
        }

        /// The response that is being read.
        var origin: ElementOrigin? { reader?.origin }

        /// - Throws: ``StrataCore/NetworkClientError``: the failure that was final; code `bodyAlreadyConsumed` when the
        ///   stream has another reader. `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> ServerSentEvent? {
            guard lease.isFirst else {
                throw NetworkClientError(.bodyAlreadyConsumed, "the event source has a reader already")
            }
            do {
                if let event = try await pull() { return event }
                lease.connection.close()
                return nil
            } catch {
                // Closing the stream cancels what it waits for; that is no failure, whatever a layer makes of it.
                let isClosing = lease.connection.state == .closed && !Task.isCancelled
                lease.connection.close()
                if isClosing { return nil }
                throw error
            }
        }

        /// The same, in the caller's isolation.
        @_documentation(visibility: internal)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            try await next()
        }

        private mutating func pull() async throws -> ServerSentEvent? {
            while lease.connection.state != .closed {
                // Events that have arrived already come without a wait, so that only this check notices a cancellation.
                try Task.checkCancellation()
                if reader == nil, try await !connect() { return nil }
                var cause: (any Error)?
                do {
                    if let event = try await reader?.next() {
                        hasEvents = true
                        return event
                    }
                } catch {
                    cause = error
                }
                if let parser = reader?.framing.parser {
                    lastEventID = parser.lastEventID
                    askedDelay = parser.reconnectionTime ?? askedDelay
                }
                reader = nil
                guard try await wait(after: cause) else {
                    endedWithBody = lease.connection.state != .closed
                    return nil
                }
            }
            return nil
        }

        /// Opens a connection, however long it takes; `false` when the server wants none (204).
        private mutating func connect() async throws -> Bool {
            while true {
                (hasEvents, openedAt) = (false, nil)
                let timeSpent = timeSpent()
                _ = try remaining(after: timeSpent)
                do {
                    let (settings, lastEventID) = (settings, lastEventID)
                    let response = try await lease.connection.run {
                        try await settings.connect(lastEventID: lastEventID, timeSpent: timeSpent)
                    }
                    if response.head.status == .noContent { return false }
                    try lease.connection.open(response.body)
                    openedAt = settings.client.configuration.clock.now
                    let parser = ServerSentEventParser(
                        lastEventID: lastEventID, maximumSize: settings.options.maximumEventSize)
                    // When another connection follows, an unfinished event that is kept would come twice.
                    let keepsUnfinishedEvent =
                        settings.options.keepsUnfinishedEvent && !settings.policy.allows(settings.request)
                    reader = FrameReader(
                        response, framing: EventFraming(parser: parser, keepsUnfinishedEvent: keepsUnfinishedEvent))
                    return true
                } catch {
                    guard try await wait(after: error) else { return false }
                }
            }
        }

        /// Waits for as long as the policy wants; `false` when it does not want another connection.
        ///
        /// - Parameter cause: what ended the connection, `nil` when the body ended in good order; thrown when it is
        ///   final.
        private mutating func wait(after cause: (any Error)?) async throws -> Bool {
            guard lease.connection.state != .closed else { return false }
            let policy = settings.policy
            let cause = cause.map(withLastFailure)
            if let cause, !isTransient(cause) { throw cause }
            guard policy.allows(settings.request) else {
                if let cause { throw cause }
                return false
            }
            let clock = settings.client.configuration.clock
            // One that fell silent has failed, however long it was open.
            let isSilent = (cause as? NetworkClientError)?.timeout == .idle
            let hasLasted = !isSilent && openedAt.map { clock.now - $0 >= ReconnectionPolicy.lasting } ?? false
            if let openedAt {
                briefConnections = clock.now - openedAt < ReconnectionPolicy.brief ? briefConnections + 1 : 0
            }
            failures = hasEvents || hasLasted ? 0 : failures + 1
            if failures > 0, let most = policy.maximumFailures, failures >= most {
                throw cause ?? StreamFailure.noEvents(failures)
            }
            let retryAfter = (cause as? NetworkClientError)?.response.flatMap {
                RetryAfterField.delay(in: $0.headerFields, now: clock.date)
            }
            let wanted = policy.delay(
                failures: failures, asked: askedDelay, briefConnections: briefConnections, retryAfter: retryAfter)
            lastFailure = cause
            let delay = try remaining(after: timeSpent()).map { Swift.min($0, wanted) } ?? wanted
            lease.connection.reconnect()
            policy.report(delay: delay, cause: cause, failures: failures)
            guard delay > .zero else { return true }
            try await lease.connection.run { try await clock.sleep(for: delay) }
            return true
        }

        /// How long ago the first connection was asked for.
        private mutating func timeSpent() -> Duration {
            let now = settings.client.configuration.clock.now
            let start = startedAt ?? now
            startedAt = start
            return now - start
        }

        /// What is left of the deadline for all connections and waits; `nil` when there is none.
        private func remaining(after timeSpent: Duration) throws -> Duration? {
            guard let deadline = settings.request.options.timeouts.deadline else { return nil }
            guard timeSpent < deadline else {
                throw NetworkClientError.timedOut(.deadline, after: deadline, cause: lastFailure)
            }
            return deadline - timeSpent
        }

        /// Adds the failure of the connection before to the error of a deadline that passed before this connection gave
        /// an event.
        private func withLastFailure(_ error: any Error) -> any Error {
            guard !hasEvents, var error = error as? NetworkClientError, error.timeout == .deadline, error.cause == nil
            else { return error }
            error.cause = lastFailure
            return error
        }

        private func isTransient(_ error: any Error) -> Bool {
            if error is CancellationError { return false }
            if let error = error as? NetworkClientError, error.code == .unacceptableStatus, let head = error.response {
                return settings.policy.transientStatuses.contains(head.status.code)
            }
            return settings.policy.reconnectsAfter(error)
        }
    }
}
