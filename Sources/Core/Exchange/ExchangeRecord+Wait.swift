// SPDX-License-Identifier: Apache-2.0

extension ExchangeRecord {
    /// Time that a call spent in a layer of its own client, until it was its turn.
    public struct Wait: Hashable, Sendable {
        public let cause: Cause
        /// When it began, measured from the beginning of the call.
        public let started: Duration
        public let duration: Duration

        /// What was waited for. Add your own by their text.
        public struct Cause: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
            public let description: String
            @_documentation(visibility: internal)
            public init(stringLiteral value: String) { description = value }

            /// As many exchanges were under way as were allowed.
            public static let concurrencyLimit: Cause = "concurrency limit"
            /// As many requests had been sent as were allowed in that time.
            public static let rateLimit: Cause = "rate limit"
        }
    }
}

extension ExchangeRecord.Wait: CustomStringConvertible {
    public var description: String { "\(duration.brief) for the \(cause)" }
}
