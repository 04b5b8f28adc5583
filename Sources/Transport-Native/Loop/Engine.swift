// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

/// What a loop has, and what it does with it. All of it is touched under the loop's lock alone, by whichever thread has that.
///
/// A task that sends writes its request here and now when there is an idle connection; the loop's thread reads what comes.
final class Engine: @unchecked Sendable {
    // Unchecked: see above.
    let settings: Settings
    let segments: SegmentPool
    /// The memory of field names and values that all readers share.
    let fields = FieldMemory()

    /// `nil` before the first request, and after the last.
    var queue: EventQueue?
    // Not checked at run time, which costs a small request a fiftieth: nothing that changes one of these calls back.
    @exclusivity(unchecked) var sockets = SocketTable()
    @exclusivity(unchecked) var timers = Timers()
    @exclusivity(unchecked) var pools = OriginPools()
    var names: NameCache
    /// The time of this batch, in nanoseconds.
    private(set) var now: UInt64 = 0
    /// When all sockets were looked at last.
    private(set) var lookedAt: UInt64 = 0
    /// Exchanges that are not over.
    var live = 0
    /// Connections that there are or that are being made, and those of them that are idle.
    var openCount = 0
    var idleCount = 0
    private var lastNumber: UInt64 = 0
    /// Until when what has come is read in this batch.
    private var shareEnd: UInt64 = 0
    /// What is left for the next batch.
    private var rest: [Leftover] = []
    /// Connections over HTTP/2 that may have something to send.
    var dirty: [Connection] = []
    /// What is to be done when the lock is released.
    @exclusivity(unchecked) var resumptions: [Resumption] = []
    private(set) var isStopped = false
    /// Empty but for a moment; kept for its memory.
    private var arrived: [Arrivals.Arrival] = []
    let sweeper = IdleSweeper()

    /// Whether the loop's thread waits, and until when.
    private var isParked = false
    private var parkedUntil: UInt64 = 0

    /// What is read at once.
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: ReadSize.most, alignment: 64)
    /// Where requests are written.
    var output = ByteBuffer(capacity: 16 * 1024)

    /// Things that are not done at once, so that one does not lead to the other without end.
    enum Leftover {
        /// Something may be there to be read that the queue does not tell of.
        case read(Connection)
        case giveBack(Connection)
        case connectingFailed(Connector, NetworkClientError)
    }

    init(_ settings: Settings, segments: SegmentPool) {
        self.settings = settings
        self.segments = segments
        names = NameCache(age: settings.configuration.dnsCacheTime)
        sweeper.slot = timers.insert(sweeper)
    }

    deinit { input.deallocate() }

    // MARK: - Batches

    /// The lock has been taken.
    func beginBatch() { now = MonotonicClock.now }

    /// What the loop's thread does each time it wakes. What takes longer than its share goes on in the next batch: callers get the
    /// lock between two, and limits are kept.
    ///
    /// - Parameters:
    ///   - ready: what is not visited yet is visited in the next batch.
    ///   - arrivals: what tasks have asked for meanwhile.
    ///   - looked: when it began to wait, in nanoseconds: what had come by then is in `ready`.
    func runBatch(_ ready: inout EventQueue.Ready, _ arrivals: Arrivals, looked: UInt64) {
        isParked = false
        beginBatch()
        beginShare()
        let rest = rest
        self.rest = []
        for leftover in rest {
            if case .read = leftover, isShareUsed { self.rest.append(leftover) } else { take(leftover) }
        }
        beginShare()
        ready.visit(while: { !isShareUsed }) { token, happened in sockets[token]?.socketIsReady(happened, self) }
        if ready.isAll, ready.areAllVisited { lookedAt = looked }
        while let owner = timers.popDue(at: now) { owner.timeIsUp(self) }
        take(arrivals)
        sendFrames()
    }

    private func beginShare() { shareEnd = MonotonicClock.now.saturatingAdd(settings.batchShare) }

    /// Whether what has come has been read for so long that others have their turn.
    var isShareUsed: Bool { MonotonicClock.now >= shareEnd }

    /// The lock is about to be released by another than the loop's thread.
    func endBatch() {
        guard !dirty.isEmpty else { return }
        // What several have begun meanwhile goes out at once.
        if isParked, mayWriteAlone { sendFrames() } else { wake() }
    }

    /// The loop's thread is about to wait.
    ///
    /// - Returns: for how many nanoseconds at most; `nil`: until something happens.
    func park() -> UInt64? {
        isParked = true
        parkedUntil = rest.isEmpty && dirty.isEmpty ? timers.next ?? .max : 0
        return parkedUntil == .max ? nil : max(parkedUntil, now) - now
    }

    /// The thread runs tasks before it waits.
    func unpark() { isParked = false }

    private func wake() {
        guard isParked else { return }
        isParked = false
        queue?.wake()
    }

    /// Makes sure that the owner of `slot` is looked at at `time` at the latest.
    func note(_ slot: Int, at time: UInt64) {
        timers.note(slot, at: time)
        if time < parkedUntil { wake() }
    }

    /// Leaves something for the next batch.
    func leave(_ leftover: Leftover) {
        rest.append(leftover)
        wake()
    }

    private func take(_ leftover: Leftover) {
        switch leftover {
        case .read(let connection): if !connection.isClosed { receive(connection) }
        case .giveBack(let connection): if !connection.isClosed { giveBack(connection) }
        case .connectingFailed(let connector, let error): if !connector.isOver { fail(connector, error) }
        }
    }

    // MARK: - Exchanges

    /// What tasks have asked for while another thread had the lock, in the order in which they did.
    func take(_ arrivals: Arrivals) {
        arrivals.take(&arrived)
        guard !arrived.isEmpty else { return }
        beginBatch()
        for arrival in arrived {
            switch arrival {
            case .call(let exchange, let caller): start(exchange, caller)
            case .read(let exchange, let reader): read(exchange, reader)
            case .drop(let exchange): dropBody(of: exchange)
            case .cancel(let exchange): cancel(exchange)
            case .work(let work): work(self)
            }
        }
        arrived.removeAll(keepingCapacity: true)
    }

    /// A call begins: it is resumed when its head has come, or it has failed.
    func start(_ exchange: Exchange, _ caller: Waiter<Void>) {
        if isStopped || exchange.isCancelled {
            let error: any Error = isStopped ? NetworkClientError.shutDown : CancellationError()
            closeUpload(of: exchange)
            return resumptions.append(.failed(caller, error))
        }
        exchange.wait(caller)
        exchange.slot = timers.insert(exchange)
        exchange.phase = .waiting
        live += 1
        lastNumber += 1
        exchange.number = lastNumber
        // Nothing is sent when there is no time for it.
        if let (time, kind) = exchange.deadline, time <= now { return fail(exchange, kind) }
        do {
            try place(exchange, exchange.plan.protocols)
        } catch {
            return end(exchange, error)
        }
        if exchange.phase != .over { note(exchange.slot, at: exchange.nextCheck(now: now)) }
    }

    /// Gives an exchange a connection, or has it wait for one.
    func place(_ exchange: Exchange, _ protocols: ProtocolChoice) throws(NetworkClientError) {
        var pool = try pool(for: exchange, protocols)
        if exchange.plan.upgrade != nil, pool.takesUpgrades == false { pool = try poolWithoutHTTP2(for: exchange) }
        exchange.pool = pool
        place(exchange, in: pool)
    }

    /// Where an upgrade goes that the server does not take over HTTP/2.
    ///
    /// - Throws: `unsupportedByTransport` when no other version was to be spoken.
    func poolWithoutHTTP2(for exchange: Exchange) throws(NetworkClientError) -> OriginPool {
        if exchange.plan.protocols != .http2 { return try pool(for: exchange, .http1) }
        var error = NetworkClientError(
            .unsupportedByTransport,
            "the server takes no other protocol over HTTP/2 (SETTINGS_ENABLE_CONNECT_PROTOCOL, RFC 8441 §3); ask for HTTP/1.1"
        )
        error.isUnprocessed = true
        throw error
    }

    func pool(for exchange: Exchange, _ protocols: ProtocolChoice) throws(NetworkClientError) -> OriginPool {
        let head = exchange.request.head
        return try pools.pool(
            isSecure: head.scheme == "https", authority: head.authority ?? "", protocols,
            needsTunnel: exchange.plan.needsTunnel, own: exchange.proxies, through: settings.proxies)
    }

    func place(_ exchange: Exchange, in pool: OriginPool) {
        if !exchange.needsNewConnection, let connection = sharedConnection(pool) ?? takeIdle(pool) {
            begin(exchange, on: connection)
        } else {
            wait(exchange, in: pool)
        }
    }

    func cancel(_ exchange: Exchange) {
        exchange.isCancelled = true
        guard exchange.phase != .new, exchange.phase != .over else { return }
        exchange.buffer.removeAll()
        // A caller that still waits gets no answer any more.
        exchange.head = nil
        end(exchange, CancellationError())
    }

    /// The exchange's time has come, or something before it.
    func checkTime(of exchange: Exchange) {
        guard exchange.phase != .over else { return }
        if let (time, kind) = exchange.deadline, time <= now { return fail(exchange, kind) }
        if exchange.phase == .waiting, exchange.connectEnd <= now { return fail(exchange, .connect) }
        if exchange.phase == .active {
            if exchange.answerStandsAt <= now {
                // While there is nothing to send, it is the producer that takes its time, and not the server that takes nothing.
                if exchange.unsent > 0 { return end(exchange, nil) }
                letAnswerStand(exchange)
            }
            if exchange.consentEnd <= now { sendHeldBody(of: exchange) }
            if let upload = exchange.upload, upload.heldUntil <= now { sendLastByte(of: upload, for: exchange) }
            if exchange.nextBacklogLook <= now, let socket = exchange.connection?.socket {
                if exchange.backlog.look(at: socket.backlog, now: now) { exchange.lastActivity = now }
            }
            let isSilent = exchange.lastActivity.saturatingAdd(exchange.plan.idleLimit) <= now
            // The answer is there in full, and the producer of the request's body has had its time.
            if isSilent, exchange.isAnswered { return end(exchange, nil) }
            if isSilent, !exchange.isSilenceOurs { return fail(exchange, .idle) }
            if isSilent { exchange.lastActivity = now }
        }
        if exchange.phase != .over { note(exchange.slot, at: exchange.nextCheck(now: now)) }
    }

    private func fail(_ exchange: Exchange, _ kind: Timeouts.Kind) {
        end(exchange, NetworkClientError.timedOut(kind, after: exchange.request.options.timeouts[kind]))
    }

    // MARK: - The end

    /// Everything ends, and nothing begins any more.
    func stop() {
        guard !isStopped else { return }
        isStopped = true
        // Those that end may wake others, which then find that all is over.
        for case let exchange as Exchange in timers.all { end(exchange, NetworkClientError.shutDown) }
        for case let connector as Connector in timers.all { end(connector) }
        for case let connection as Connection in timers.all { close(connection, .shutdown) }
        for pool in pools.all {
            while let connection = pool.idle.last { close(connection, .shutdown) }
        }
        rest = []
        dirty = []
        queue = nil
    }
}

extension NetworkClientError {
    static let shutDown = NetworkClientError(.transportShutDown, "the transport was shut down")
}
