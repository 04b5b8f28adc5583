// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// What is known of a connection, from its first request to its end.
struct Connection {
    /// How the two sides speak, which is settled before the first request: by ALPN over TLS (RFC 9113 §3.2), by prior
    /// knowledge in clear (§3.3). A status line settles nothing.
    enum Version {
        /// One exchange at a time.
        case http1
        case http2
    }

    /// `nil` while it is not known: with a TLS library that is not asked, until the first answer.
    var version: Version?
    /// The port that it comes from; 0 over a Unix domain socket, and before its first request.
    var localPort: UInt16 = 0
    /// Whether a request has been written to it.
    var hasCarried = false
    /// The slot of the transfer that has it to itself.
    var user: Int?
    /// How many looks at the idle connections there had been when it became idle.
    var idleSince = 0

    /// When its last exchange ended, and when its server closes it, as far as that has said so: in nanoseconds.
    var lastUse: UInt64 = 0
    var expiry = UInt64.max

    /// Whether it was ended here: for what had come on it, or because it had been idle for long.
    var hasEnded = false
    /// For whoever listens to ``ConnectionEvents``: what it is called, and for which server it is. `nil` while nobody has listened.
    var name: (origin: Origin, number: UInt64)?
    /// Whether it was ended here for having been idle.
    var wasIdleTooLong = false
    /// Whether it carries no further exchange, because it was silent when it should have answered.
    var isLeft = false

    var isIdleHTTP1: Bool { version == .http1 && user == nil && hasCarried && !hasEnded }
}

/// The connection of an exchange, be it new or used again.
struct ConnectionUse {
    /// How often the exchange's request was about to be written to a connection.
    private(set) var count = 0
    /// The connection's socket; -1 while it is not known.
    private(set) var socket: Int32 = -1
    private(set) var localPort: UInt16 = 0
    /// How the connection speaks, as far as that was known when the request went out.
    private(set) var version: Connection.Version?
    /// The socket that libcurl spoke of last for this exchange; -1 when it has not.
    private(set) var spokenOf: Int32 = -1
    /// Whether the exchange still has the connection.
    private(set) var isUnderWay = false
    /// Whether the request was kept from the connection that libcurl chose, and the exchange is to begin again on another.
    private(set) var isRefused = false
    /// When a proxy was first seen to have refused the tunnel to the server; in nanoseconds.
    var tunnelRefused: UInt64?

    init() {}

    /// - Parameter count: of the connections before.
    init(count: Int) { self.count = count }

    var isUnknown: Bool { isUnderWay && socket < 0 }

    /// The request is about to be written.
    mutating func begin(_ socket: Int32?, localPort: UInt16) {
        count += 1
        isUnderWay = true
        (self.socket, self.localPort, version) = (socket ?? -1, localPort, nil)
    }

    mutating func end() { isUnderWay = false }

    mutating func speaks(_ version: Connection.Version?) { self.version = version }

    mutating func refuse() { isRefused = true }

    /// libcurl opens a socket for this exchange. It may send the request, and have the answer, before it speaks of it again.
    mutating func opens(_ socket: Int32) { spokenOf = socket }

    /// libcurl speaks of a socket for this exchange.
    ///
    /// - Returns: whether that tells where the request went.
    mutating func note(_ socket: Int32) -> Bool {
        spokenOf = socket
        guard isUnknown else { return false }
        self.socket = socket
        return true
    }
}
