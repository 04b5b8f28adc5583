// SPDX-License-Identifier: Apache-2.0

/// What happens to a transport's connections, as a value: to see when they are too few, or live too short.
///
///     if let events = transport.connectionEvents { for await event in events.stream() { print(event) } }
///     // https://api.example opened #3
public struct ConnectionEvent: Hashable, Sendable {
    /// The server that the connection is for, also when a proxy stands between.
    public let origin: Origin
    /// The connection's number, which no other of the process has; `nil` while an exchange waits for one.
    public let connection: UInt64?
    public let kind: Kind
    /// When, by ``SystemClock``.
    public let time: Duration

    package init(_ kind: Kind, origin: Origin, connection: UInt64?, time: Duration) {
        self.kind = kind
        self.origin = origin
        self.connection = connection
        self.time = time
    }

    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Hashable, Sendable {
        /// An exchange waits until a connection has been made that may carry it too, or until the origin has fewer exchanges under
        /// way than it may have connections.
        case waiting
        /// A connection was made, and its first exchange is about to be sent.
        case opened
        /// An exchange is about to be sent on a connection that was there.
        case reused
        /// The last exchange on it is over, and the connection is kept.
        case idle
        case closed(Reason)
    }

    /// Why a connection was closed. More may come: a `switch` needs a `default`.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// By the server, or by what lies between.
        public static let peer = Reason(description: "peer")
        /// By the client: it was idle or old, or not to be used again after its last exchange.
        public static let client = Reason(description: "client")
        /// It was idle for longer, or with more others, than the transport allows.
        public static let idleLimit = Reason(description: "idle limit")
        /// It was silent when it should have answered.
        public static let silence = Reason(description: "silence")
        /// Its exchange failed or was given up, and HTTP/1.1 has no other way to end one.
        public static let exchange = Reason(description: "exchange failed")
        /// The transport was shut down.
        public static let shutdown = Reason(description: "shutdown")

        /// Of the connection of an exchange that ended like this, and that can carry no other.
        package static func after(_ error: (any Error)?) -> Reason {
            switch (error as? NetworkClientError)?.code {
            case nil where error == nil: .client
            case .connectionLost?: .peer
            case .transportShutDown?: .shutdown
            default: .exchange
            }
        }
    }
}

extension ConnectionEvent: CustomStringConvertible {
    public var description: String {
        let number = connection.map { " #\($0)" } ?? ""
        return switch kind {
        case .waiting: "\(origin) waiting"
        case .opened: "\(origin) opened\(number)"
        case .reused: "\(origin) reused\(number)"
        case .idle: "\(origin) idle\(number)"
        case .closed(let reason): "\(origin) closed\(number) (\(reason))"
        }
    }
}
