// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataStreaming

extension ReconnectingWebSocket {
    /// Ends the stream when it is dropped.
    @_documentation(visibility: internal)
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let settings: ReconnectingSettings
        private let lease: ReaderLease<ReconnectingConnection>
        private var socket: WebSocket?
        private var failures = 0
        /// How many sockets in a row were open for less than `ReconnectionPolicy.brief`.
        private var briefConnections = 0
        private var hasMessages = false
        private var openedAt: Duration?

        init(_ settings: ReconnectingSettings, _ lease: ReaderLease<ReconnectingConnection>) {
            self.settings = settings
            self.lease = lease
        }

        /// - Throws: ``StrataCore/NetworkClientError``: the failure that was final; code `bodyAlreadyConsumed` when the stream has another
        ///   reader. `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> WebSocket.Message? {
            guard lease.isFirst else {
                throw NetworkClientError(.bodyAlreadyConsumed, "the stream of messages has a reader already")
            }
            do {
                if let message = try await pull() { return message }
                end()
                return nil
            } catch {
                let isClosing = lease.connection.isClosed && !Task.isCancelled
                end()
                if isClosing { return nil }
                throw error
            }
        }

        /// The same, in the caller's isolation.
        @_documentation(visibility: internal)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> WebSocket.Message? {
            try await next()
        }

        private mutating func end() {
            socket = nil
            lease.connection.leave()
        }

        private mutating func pull() async throws -> WebSocket.Message? {
            while !lease.connection.isClosed {
                try Task.checkCancellation()
                var cause: (any Error)?
                do {
                    let socket = try await connected()
                    if let message = try await socket.receive() {
                        hasMessages = true
                        return message
                    }
                    if socket.closure?.code == .normal { return nil }
                } catch {
                    cause = error
                }
                socket = nil
                lease.connection.lose()
                guard try await wait(after: cause) else { return nil }
            }
            return nil
        }

        private mutating func connected() async throws -> WebSocket {
            if let socket { return socket }
            (hasMessages, openedAt) = (false, nil)
            let open = settings.open
            let socket = try await lease.connection.run { try await open() }
            try lease.connection.open(socket)
            openedAt = settings.clock.now
            self.socket = socket
            return socket
        }

        /// Waits for as long as the policy wants; `false` when it does not want another socket.
        ///
        /// - Parameter cause: what ended the socket, `nil` when it was closed in good order; thrown when it is final.
        private mutating func wait(after cause: (any Error)?) async throws -> Bool {
            if lease.connection.isClosed { return false }
            let (policy, clock) = (settings.policy, settings.clock)
            if let cause, policy.scope == .never || !settings.isTransient(cause) { throw cause }
            if policy.scope == .never { return false }
            let isSilent = (cause as? NetworkClientError)?.timeout == .idle
            let age = openedAt.map { clock.now - $0 }
            if let age { briefConnections = age < ReconnectionPolicy.brief ? briefConnections + 1 : 0 }
            let hasLasted = !isSilent && age.map { $0 >= ReconnectionPolicy.lasting } ?? false
            failures = hasMessages || hasLasted ? 0 : failures + 1
            if failures > 0, let most = policy.maximumFailures, failures >= most {
                throw cause
                    ?? NetworkClientError(.connectionLost, "\(failures) sockets in a row were closed without a message")
            }
            let retryAfter = (cause as? NetworkClientError)?.response.flatMap {
                RetryAfterField.delay(in: $0.headerFields, now: clock.date)
            }
            let delay = policy.delay(
                failures: failures, asked: nil, briefConnections: briefConnections, retryAfter: retryAfter)
            policy.report(delay: delay, cause: cause, failures: failures)
            guard delay > .zero else { return true }
            try await lease.connection.run { try await clock.sleep(for: delay) }
            return true
        }
    }
}
