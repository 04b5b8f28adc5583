// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// What libcurl wants to know of each socket, what the event queue has been told, which may differ, and what is known of
/// the connection behind it.
///
/// A kept-alive connection is unregistered and registered again by libcurl around every request. Only a change that
/// matters is passed on; the textbook way costs a quarter more per request. That is safe for connections alone, whose
/// opening is always reported: some of libcurl's versions close a socket that is still connecting, and those that the
/// resolver waits for, without a word, and the next socket has the same number.
///
/// Nobody has asked for what comes on an idle connection over HTTP/1, and it must not be taken for the next answer (RFC
/// 9112 §9.2). libcurl 7.88 sends the next request there all the same, also when what came is the end of TLS. So an idle
/// connection is always watched, is ended here when something comes, which libcurl notices, and is looked at once more
/// before each request: see ``isQuiet(_:)``.
final class SocketTable {
    private struct Entry {
        var wanted: Interest = []
        var registered: Interest = []
        /// Whether nothing is told of what comes, though it is wanted.
        var isHeldBack = false
        /// `nil` for a socket that is none, such as the resolver's.
        var connection: Connection?
    }

    private let queue: EventQueue
    // Not checked at run time: no function of the table calls another that touches it while it changes an entry.
    @exclusivity(unchecked) private var entries: [Entry] = []
    /// The connections that come from a port: mostly one.
    @exclusivity(unchecked) private var byPort: [UInt16: [Int32]] = [:]
    /// How many exchanges use a connection that is not known yet.
    private var unknownUses = 0
    /// How often the idle connections were looked at together, and whether that was just now.
    private var looks = 0
    private var hasJustLooked = false

    init(_ queue: EventQueue) { self.queue = queue }

    // MARK: - What libcurl reports

    /// A new socket of a connection, which the queue does not know, whatever it was told about the last one of this number.
    /// libcurl may have gone from that one to this without saying so: then it wants of this what it wanted of that.
    func opened(_ socket: Int32) {
        while entries.count <= Int(socket) { entries.append(Entry()) }
        let wanted = entries[Int(socket)].wanted
        entries[Int(socket)] = Entry(wanted: wanted, connection: Connection())
        register(socket, wanted)
    }

    func change(_ socket: Int32, to wanted: Interest) {
        while entries.count <= Int(socket) { entries.append(Entry()) }
        entries[Int(socket)].wanted = wanted
        guard wanted.isEmpty, let connection = entries[Int(socket)].connection else { return tell(socket) }
        // At rest too a connection is listened to. Another than over HTTP/1 may have what nobody waits for.
        let isListenedTo = connection.version == .http1 || entries[Int(socket)].registered == .input
        register(socket, isListenedTo ? .input : [])
    }

    /// The queue would forget a socket by itself if it were the only one of its connection: a child process may have one.
    func closed(_ socket: Int32) {
        guard let connection = connection(socket) else { return }
        byPort[connection.localPort]?.removeAll { $0 == socket }
        register(socket, [])
        entries[Int(socket)] = Entry()
    }

    // MARK: - Events

    func isWanted(_ socket: Int32) -> Bool {
        entries.indices.contains(Int(socket)) && !entries[Int(socket)].wanted.isEmpty
    }

    /// Something came on a socket of which libcurl wants nothing.
    ///
    /// That does not say that it is idle: its transfer may be paused, and libcurl is silent about one that pauses within the
    /// call that takes the connection.
    func cameUnwanted(on socket: Int32) {
        guard let connection = connection(socket), connection.isIdleHTTP1, !mayBeInUse(connection) else {
            if entries.indices.contains(Int(socket)) { register(socket, []) }
            return
        }
        if hasInput(socket) { end(socket) }
    }

    /// Whether the one body of a connection is held back: then nothing is told of what comes, though libcurl asks for it.
    func holdBack(_ socket: Int32, _ isHeldBack: Bool) {
        guard connection(socket)?.version == .http1 else { return }
        entries[Int(socket)].isHeldBack = isHeldBack
        tell(socket)
    }

    /// Ends a connection that libcurl still has, and will find ended.
    func end(_ socket: Int32) {
        register(socket, [])
        endConnection(socket)
        entries[Int(socket)].connection?.hasEnded = true
    }

    /// The connection was ended from elsewhere, and the queue has forgotten it.
    func wasEnded(_ socket: Int32) {
        guard connection(socket) != nil else { return }
        let wanted = entries[Int(socket)].wanted
        register(socket, [])
        register(socket, wanted)
        entries[Int(socket)].connection?.hasEnded = true
    }

    // MARK: - Use

    func connection(_ socket: Int32) -> Connection? {
        entries.indices.contains(Int(socket)) ? entries[Int(socket)].connection : nil
    }

    /// The connection that libcurl has chosen for a request: it tells the port that the connection comes from.
    ///
    /// The system gives connections to different servers the same port now and then, so that a new one is not taken for the
    /// one that has the port already.
    ///
    /// - Parameters:
    ///   - likely: the socket that libcurl spoke of last for this exchange.
    ///   - mayBeNew: whether libcurl has opened a connection for this exchange.
    func socket(ofPort port: UInt16, likely: Int32, mayBeNew: Bool) -> Int32? {
        if mayBeNew {
            if isNew(likely, fromPort: port) { return likely }
            // Over Unix domain sockets all come from no port.
            let new = port > 0 ? entries.indices.lazy.map(Int32.init).first { isNew($0, fromPort: port) } : nil
            if let new { return new }
        }
        guard port > 0, let known = byPort[port], known.count == 1 else { return nil }
        return known[0]
    }

    private func isNew(_ socket: Int32, fromPort port: UInt16) -> Bool {
        connection(socket)?.hasCarried == false && localPort(socket) == port
    }

    /// A request goes out on a connection.
    ///
    /// - Parameter version: as it was settled, for a new one.
    func use(_ socket: Int32, by slot: Int, localPort: UInt16, version: @autoclosure () -> Connection.Version?) {
        guard var connection = connection(socket) else { return }
        if !connection.hasCarried {
            connection.hasCarried = true
            connection.version = version()
            connection.localPort = localPort
            if localPort > 0 { byPort[localPort, default: []].append(socket) }
        }
        if connection.version != .http2 { connection.user = slot }
        entries[Int(socket)].connection = connection
    }

    /// A request goes out on one of several connections that cannot be told apart: it is not known which.
    func useUnknown() { unknownUses += 1 }

    /// It is known now which, or the exchange is over.
    func unknownUseEnded() {
        unknownUses -= 1
        guard unknownUses == 0 else { return }
        for socket in entries.indices where entries[socket].connection.map(isAmbiguous) == true {
            listen(Int32(socket))
        }
    }

    /// The exchange on a connection is over. What comes from now on, nobody has asked for.
    ///
    /// - Parameters:
    ///   - time: now.
    ///   - expiry: when the server closes the connection, as far as it has said so.
    func leave(_ socket: Int32, by slot: Int, at time: UInt64 = 0, expiry: UInt64 = .max) {
        guard let connection = connection(socket) else { return }
        if connection.version == .http2 || connection.user == slot { entries[Int(socket)].connection?.lastUse = time }
        guard connection.user == slot else { return }
        entries[Int(socket)].connection?.expiry = expiry
        entries[Int(socket)].connection?.user = nil
        entries[Int(socket)].isHeldBack = false
        entries[Int(socket)].connection?.idleSince = looks
        listen(socket)
    }

    /// libcurl does not ask for a connection whose body was paused to its end.
    private func listen(_ socket: Int32) {
        let entry = entries[Int(socket)]
        if entry.wanted.isEmpty, entry.connection?.isIdleHTTP1 == true { register(socket, .input) }
    }

    /// The version is known by the first answer.
    func answered(_ socket: Int32, over version: Connection.Version) {
        guard let connection = connection(socket), connection.version == nil else { return }
        entries[Int(socket)].connection?.version = version
    }

    // MARK: - Idle connections

    /// Whether its port does not tell it from others: all come from no port over Unix domain sockets, and the system gives
    /// two connections to different servers the same port now and then.
    private func isAmbiguous(_ connection: Connection) -> Bool {
        connection.localPort == 0 || (byPort[connection.localPort]?.count ?? 0) > 1
    }

    private func mayBeInUse(_ connection: Connection) -> Bool { unknownUses > 0 && isAmbiguous(connection) }

    /// The connections without an exchange.
    ///
    /// - Parameter used: those that exchanges have.
    func idleConnections(besides used: Set<Int32>) -> [IdleLimits.Idle] {
        entries.indices.compactMap { index in
            let socket = Int32(index)
            guard let connection = entries[index].connection, connection.hasCarried, !connection.hasEnded,
                connection.user == nil, !used.contains(socket), !mayBeInUse(connection)
            else { return nil }
            return IdleLimits.Idle(socket: socket, since: connection.lastUse, expiry: connection.expiry)
        }
    }

    /// Whether libcurl has connections that have been ended here.
    var hasEndedConnections: Bool { entries.contains { $0.connection?.hasEnded == true } }

    /// Ends connections that have been idle for too long.
    func endIdle(_ socket: Int32) {
        end(socket)
        entries[Int(socket)].connection?.wasIdleTooLong = true
    }

    func name(_ socket: Int32, _ name: (origin: Origin, number: UInt64)) {
        guard connection(socket) != nil else { return }
        entries[Int(socket)].connection?.name = name
    }

    /// Has a connection carry no further exchange.
    func abandon(_ socket: Int32) { entries[Int(socket)].connection?.isLeft = true }

    /// Looks at all idle connections at once, before libcurl chooses among them.
    func look() {
        hasJustLooked = queue.look { socket in
            if connection(socket)?.isIdleHTTP1 == true { cameUnwanted(on: socket) }
        }
        if hasJustLooked { looks += 1 }
    }

    /// libcurl has chosen, and what comes from now on has not been looked at.
    func lookEnded() { hasJustLooked = false }

    /// Whether nothing has come on an idle connection over HTTP/1, the end of the connection included.
    func isQuiet(_ socket: Int32) -> Bool {
        guard let connection = connection(socket), !connection.hasEnded else { return false }
        let wasLookedAt =
            hasJustLooked && connection.user == nil && connection.idleSince < looks
            && entries[Int(socket)].registered == .input
        return wasLookedAt || !hasInput(socket)
    }

    /// Whether nothing has come on any of the idle connections that come from a port.
    func areQuiet(fromPort port: UInt16) -> Bool {
        entries.indices.lazy.map(Int32.init).allSatisfy { socket in
            guard let connection = connection(socket), connection.isIdleHTTP1, connection.localPort == port else {
                return true
            }
            return !hasInput(socket)
        }
    }

    private func tell(_ socket: Int32) {
        let entry = entries[Int(socket)]
        register(socket, entry.isHeldBack ? entry.wanted.subtracting(.input) : entry.wanted)
    }

    private func register(_ socket: Int32, _ interest: Interest) {
        let registered = entries[Int(socket)].registered
        if registered == interest { return }
        queue.register(socket, from: registered, to: interest)
        entries[Int(socket)].registered = interest
    }
}

/// What is to be known of a socket; the numbers are those of `CURL_POLL_IN` and `CURL_POLL_OUT`.
struct Interest: OptionSet {
    let rawValue: Int32
    static let input = Interest(rawValue: 1)
    static let output = Interest(rawValue: 2)

    init(rawValue: Int32) { self.rawValue = rawValue & 3 }
}
