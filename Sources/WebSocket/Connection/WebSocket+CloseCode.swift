// SPDX-License-Identifier: Apache-2.0

extension WebSocket {
    /// The status with which a socket is closed (RFC 6455 §7.4).
    public struct CloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: UInt16

        /// Protocols of libraries and applications have 3000 to 4999.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        public var description: String { String(rawValue) }

        /// The connection has served its purpose: 1000.
        public static let normal = CloseCode(rawValue: 1000)
        /// An end goes away, as a server that shuts down: 1001.
        public static let goingAway = CloseCode(rawValue: 1001)
        /// The peer has broken the protocol: 1002.
        public static let protocolError = CloseCode(rawValue: 1002)
        /// A kind of message that is not taken: 1003.
        public static let unsupportedData = CloseCode(rawValue: 1003)
        /// The peer has closed and named no status: 1005. Never sent.
        public static let noStatus = CloseCode(rawValue: 1005)
        /// The connection ended without a closing handshake: 1006. Never sent.
        public static let abnormal = CloseCode(rawValue: 1006)
        /// A message is not what its kind asks for, such as text that is not UTF-8: 1007.
        public static let invalidPayload = CloseCode(rawValue: 1007)
        /// 1008.
        public static let policyViolation = CloseCode(rawValue: 1008)
        /// 1009.
        public static let messageTooBig = CloseCode(rawValue: 1009)
        /// 1011.
        public static let internalError = CloseCode(rawValue: 1011)
        /// The server restarts, and takes connections again soon: 1012 (IANA).
        public static let serviceRestart = CloseCode(rawValue: 1012)
        /// The server has too much to do: 1013 (IANA).
        public static let tryAgainLater = CloseCode(rawValue: 1013)

        /// Whether it may stand in a frame.
        var mayBeSent: Bool {
            switch rawValue {
            case 1000...1003, 1007...1014, 3000...4999: true
            default: false
            }
        }

        /// Whether the end that it names is in good order.
        var isInOrder: Bool { self == .normal || self == .goingAway || self == .noStatus }
    }
}
