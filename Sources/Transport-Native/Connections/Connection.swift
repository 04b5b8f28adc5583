// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

/// A connection that requests can be sent on: one at a time, or over HTTP/2 many. Touched under the loop's lock alone.
final class Connection: SocketOwner, TimerOwner, @unchecked Sendable {
    // Unchecked: see above.
    let socket: Socket
    /// Its place in the queue of events.
    let token: UInt64
    let pool: OriginPool
    let tls: TLSSession?
    /// The address at the other end.
    let remoteAddress: String?
    /// When it was made, in nanoseconds, as are all times.
    let opened: UInt64

    /// What is waited for on its socket.
    var interest: Interest = .input
    /// Whether the queue has its socket.
    var isWatched = true
    /// What carries many exchanges, over HTTP/2.
    let session: HTTP2Session?
    /// The exchange that has it to itself; none while it is idle.
    var exchange: Exchange?
    @exclusivity(unchecked) var reader: ResponseReader
    @exclusivity(unchecked) var output = OutputQueue()
    /// How many requests have been written to it.
    var uses = 0
    /// How many bytes were sent while what came was acknowledged at once.
    var sentAcknowledging = 0
    /// Whether anything of the exchange's request may have reached the peer.
    var hasSent = false
    /// Why nothing more can be sent. What the peer has sent before is still read.
    var sendFailure: NetworkClientError?
    /// Whether it carries no further exchange: it has ended, or bytes came that nobody has asked for.
    var isSpent = false
    /// Whether something may have come that has not been read.
    var mayHaveInput = false
    var readSize = ReadSize()
    /// When its last exchange ended, and when its server closes it, as far as that has said so.
    var idleSince: UInt64 = 0
    var expiry = UInt64.max
    var isClosed = false
    /// For whoever listens to ``ConnectionEvents``: what it is called, and for which server it is. `nil` while nobody has listened.
    var name: (origin: Origin, number: UInt64)?

    // Over HTTP/2.
    var slot = -1
    /// Whether it is in the list of those that may have something to send.
    var isDirty = false
    /// When something has come last.
    var heardAt: UInt64
    /// When it was asked last for a sign of life, and how often since an exchange had something from it.
    var pingedAt: UInt64 = 0
    var pings = 0
    /// Whether it carries no exchange until it has given one.
    var isProbing = false

    init(
        _ socket: Socket, token: UInt64, pool: OriginPool, tls: TLSSession?, remoteAddress: String?, opened: UInt64,
        reader: consuming ResponseReader, session: HTTP2Session? = nil
    ) {
        self.session = session
        heardAt = opened
        self.reader = reader
        self.socket = socket
        self.token = token
        self.pool = pool
        self.tls = tls
        self.remoteAddress = remoteAddress
        self.opened = opened
    }

    func socketIsReady(_ happened: Happened, _ engine: Engine) { engine.connectionIsReady(self, happened) }

    func timeIsUp(_ engine: Engine) { engine.watch(self) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
        tls?.receive(into: buffer) ?? socket.receive(into: buffer)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> IOResult {
        tls?.send(bytes) ?? socket.send(bytes)
    }

    /// Whether bytes are there that the queue of events does not tell of.
    var hasPendingInput: Bool { tls?.hasPending == true }
}
