// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

/// A connection that is being made: the addresses of its host, the attempts to reach one, what is agreed upon with a proxy, the TLS
/// handshake. Touched under the loop's lock alone.
final class Connector: TimerOwner, SocketOwner, @unchecked Sendable {
    // Unchecked: see above.

    /// One address that is being tried.
    final class Attempt: SocketOwner {
        let socket: Socket
        let address: SocketAddress
        let connector: Connector
        var token: UInt64 = 0

        init(_ socket: Socket, _ address: SocketAddress, _ connector: Connector) {
            self.socket = socket
            self.address = address
            self.connector = connector
        }

        func socketIsReady(_ happened: Happened, _ engine: Engine) { engine.isReady(self) }
    }

    /// How far it is. What is not needed is passed over.
    enum Stage: Int {
        /// The addresses of the server are looked up, for a SOCKS proxy.
        case naming
        /// Those of whom to connect to are looked up, and tried.
        case connecting
        /// TLS with the proxy.
        case securingProxy
        /// The proxy is asked for a connection to the server.
        case negotiating
        /// TLS with the server.
        case securing
        case done
    }

    let pool: OriginPool
    var stage = Stage.connecting
    weak var loop: NativeLoop?
    /// The exchange that waits for it.
    var exchange: Exchange?
    var slot = -1
    private(set) var isOver = false
    /// The question to the resolver that is open.
    private var ticket: NameResolver.Ticket?
    /// All addresses, and those that have not been tried.
    var addresses: [SocketAddress] = []
    var candidates: [SocketAddress] = []
    var attempts: [Attempt] = []
    /// When the next address is tried, in nanoseconds.
    var nextAttempt = UInt64.max
    /// When it is given up though nobody has waited for it, in nanoseconds.
    var end = UInt64.max
    /// When the rest of the refusal of a proxy is waited for no longer, in nanoseconds.
    var refusalEnd = UInt64.max
    /// Why the last address could not be reached.
    var failure: NetworkClientError?
    /// The attempt that has succeeded, while the rest is agreed upon, and what is waited for.
    var winner: Attempt?
    var session: TLSSession?
    /// TLS with the proxy, and what is said to it.
    var proxySession: TLSSession?
    var handshake: (any ProxyHandshake)?
    /// The server's addresses that a SOCKS proxy has not been asked for.
    var targets: [SocketAddress] = []
    /// How often the proxy has refused credentials.
    var refusals = 0
    var interest: Interest = .output
    /// When the addresses were known, the connection was made, and TLS agreed upon.
    var nameLookup, connected, secured: UInt64?

    init(_ pool: OriginPool) { self.pool = pool }

    /// Whom the socket leads to: the server, or the proxy on the way.
    var peer: Endpoint { pool.route.proxy?.endpoint ?? pool.endpoint }

    /// - Returns: whether the answer is still wanted.
    func wait(for ticket: NameResolver.Ticket) -> Bool {
        if !isOver { self.ticket = ticket }
        return !isOver
    }

    /// Nothing more comes of it.
    ///
    /// - Returns: the question to the resolver that nobody needs an answer to.
    func finish() -> NameResolver.Ticket? {
        isOver = true
        (session, proxySession, handshake) = (nil, nil, nil)
        return ticket.take()
    }

    func timeIsUp(_ engine: Engine) {
        if !isOver, end <= engine.now { return engine.end(self) }
        if !isOver, nextAttempt <= engine.now { engine.tryNextAddress(of: self) }
        if !isOver, refusalEnd <= engine.now {
            refusalEnd = .max
            engine.refusalIsOverdue(self)
        }
        if !isOver { engine.note(slot, at: min(end, refusalEnd)) }
    }

    func socketIsReady(_ happened: Happened, _ engine: Engine) { if !isOver { engine.goOn(with: self) } }
}
