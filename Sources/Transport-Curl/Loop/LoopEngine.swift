// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import CStrataSupport
import HTTPTypes
import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The one multi handle of a loop and everything that libcurl touches. Reached under the loop's lock alone.
///
/// Work is done in batches: tell libcurl what has happened, take in new commands, collect what is finished. Tasks that can
/// go on are listed, and resumed by the caller when the lock is released.
final class LoopEngine {
    private let multi: UnsafeMutableRawPointer
    /// Where libcurl gets its memory while it works for this loop, whichever thread that is on.
    private let store = strata_store_make()
    private let events: EventQueue
    private let inbox: Inbox
    private let options: HandleOptions
    private let resolve: UnsafeMutablePointer<curl_slist>?
    private let pool = SegmentPool(limit: 64)
    private let fields = FieldMemory()
    private let sockets: SocketTable

    // Not checked at run time, which costs a thirtieth of a small request: nothing that changes one of these calls back.
    @exclusivity(unchecked) private var kicks = Kicks()
    @exclusivity(unchecked) private var lastAnswer = LastAnswer()
    @exclusivity(unchecked) private var slots = TransferSlots()
    @exclusivity(unchecked) private var deadlines = DeadlineHeap()
    @exclusivity(unchecked) private var origins: Origins
    @exclusivity(unchecked) private var connectionLimit = ConnectionLimit()
    @exclusivity(unchecked) private var commands: [Command] = []
    @exclusivity(unchecked) private var resumptions: [Resumption] = []
    /// Transfers whose head has come in this batch, or whose body has while the request's was on its way.
    @exclusivity(unchecked) private var answered: [Int] = []
    /// Streams whose reader waits for what has come in this batch.
    @exclusivity(unchecked) private var awaited: [ResponseStream] = []
    /// Whose certificates have been refused for having no alternative names.
    @exclusivity(unchecked) private var namelessAuthorities: Set<String> = []

    private var now = MonotonicClock.now
    /// Whether an exchange began HTTP/2 with prior knowledge.
    private var hasPriorKnowledge = false
    private var armedTimer = UInt64.max
    /// When the idle connection that nobody watches is watched again.
    private var watchTimer = UInt64.max
    private var isStopped = false

    /// What may come above the high-water mark: twice the window of a stream of HTTP/2, which libcurl takes in whatever
    /// is paused. Pausing was broken in some of its versions (curl #9180, #10988, #19334).
    private static let maximumExcess = 64 << 20

    /// How long a connection stays unwatched, in nanoseconds.
    private static let unwatched: UInt64 = 50_000_000

    /// How often one batch goes round for work that it made itself, before others get their turn.
    private static let rounds = 4

    init(multi: UnsafeMutableRawPointer, queue: EventQueue, inbox: Inbox, options: HandleOptions) {
        self.multi = multi
        events = queue
        sockets = SocketTable(queue)
        self.inbox = inbox
        self.options = options
        let connectionsPerHost = max(0, options.configuration.maximumConnectionsPerHost)
        origins = Origins(limit: connectionsPerHost)
        var list: UnsafeMutablePointer<curl_slist>?
        for line in options.addressOverrides {
            if let longer = curl_slist_append(list, line) { list = longer }
        }
        resolve = list
        // Before 8.20 it is the business of each handle.
        _ = strata_multi_set_quick_exit(multi)
        strata_multi_set_events(multi, onSocketChange, onTimerChange, Unmanaged.passUnretained(self).toOpaque())
        strata_multi_set_long(multi, CURLMOPT_MAXCONNECTS, ConnectionLimit.initial)
        strata_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        strata_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 1000)
        strata_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, max(0, options.configuration.maximumConnections))
        strata_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
    }

    deinit { tearDown() }

    // MARK: - Batches

    /// One batch.
    ///
    /// - Returns: whether there is more to do at once.
    func turn(_ ready: inout EventQueue.Ready, _ resumptions: inout [Resumption]) -> Bool {
        guard !isStopped else { return false }
        strata_store_use(store)
        defer { strata_store_use(nil) }
        now = MonotonicClock.now
        if events.dispatch(&ready, sockets, isUsed: isUsed) {
            // Spurious when the deadline moved away meanwhile: harmless.
            armedTimer = .max
            kicks.request()
        }
        if watchTimer <= now {
            watchTimer = .max
            sockets.watchAgain()
        }
        return carryOut(&resumptions)
    }

    /// A batch without events: new commands, and what they bring.
    func work(_ resumptions: inout [Resumption]) -> Bool {
        guard !isStopped else { return false }
        strata_store_use(store)
        defer { strata_store_use(nil) }
        now = MonotonicClock.now
        return carryOut(&resumptions)
    }

    /// Whether a transfer may have this connection. Over Unix domain sockets all of them come from no port: those are told
    /// apart by what libcurl last spoke of, if it has spoken.
    private func isUsed(_ descriptor: Int32, localPort: UInt16) -> Bool {
        slots.allBusy.contains { transfer in
            transfer.localPort == localPort && transfer.uses > 0
                && (localPort > 0 || transfer.socket == descriptor || transfer.socket < 0)
        }
    }

    private func carryOut(_ resumptions: inout [Resumption]) -> Bool {
        assert(resumptions.isEmpty)
        var round = 0
        repeat {
            takeCommands()
            startReleased()
            if kicks.isDue { kick() }
            round += 1
        } while kicks.isDue && round < Self.rounds
        if let limit = connectionLimit.takeChange() { strata_multi_set_long(multi, CURLMOPT_MAXCONNECTS, limit) }
        failOverdue()
        collectFinished()
        wakeReaders()
        handOutHeads()
        if watchTimer == .max, sockets.unwatched != nil { watchTimer = now.saturatingAdd(Self.unwatched) }
        armTimer()
        swap(&self.resumptions, &resumptions)
        return kicks.isDue
    }

    private func kick() {
        kicks.begin()
        events.kick()
        kicks.end(now: now)
    }

    private func takeCommands() {
        inbox.takeCommands(&commands)
        if commands.isEmpty { return }
        kicks.noteCommands()
        // Something may have come that nobody asked for.
        if let socket = sockets.unwatched, !lastAnswer.hasJustCome(to: sockets.unwatchedPort, now: now) {
            sockets.lookAtIdle(socket, isUsed: isUsed)
        }
        for command in commands { execute(command) }
        commands.removeAll(keepingCapacity: true)
    }

    private func execute(_ command: Command) {
        switch command {
        case .start(let exchange):
            start(exchange)
        case .cancel(let exchange):
            exchange.isCancelled = true
            if let transfer = transfer(of: exchange) { complete(transfer, CancellationError()) }
        case .resumeReceiving(let exchange):
            resumeReceiving(exchange)
        case .resumeSending(let exchange):
            if let transfer = transfer(of: exchange), transfer.isSendingPaused { resumeSending(transfer) }
        }
    }

    private func resumeReceiving(_ exchange: Exchange) {
        guard let transfer = transfer(of: exchange), transfer.isReceivingPaused else { return }
        transfer.isReceivingPaused = false
        goOn(transfer)
    }

    private func resumeSending(_ transfer: Transfer) {
        transfer.isSendingPaused = false
        goOn(transfer)
    }

    private func goOn(_ transfer: Transfer) {
        transfer.lastActivity = now
        let code = transfer.applyPauses()
        // libcurl hands out here what it had kept, and looks no more at a transfer that fails with it. One that is over and
        // not yet collected has no connection to pause, which is no failure.
        if code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT { complete(transfer, transfer.error(for: code)) }
        kicks.request()
    }

    private func transfer(of exchange: Exchange) -> Transfer? {
        exchange.slot.flatMap { slots.busy(at: $0) }
    }

    // MARK: - Beginning and end

    private func start(_ exchange: Exchange) {
        guard !exchange.isCancelled else { return fail(exchange, CancellationError()) }
        if let deadline = exchange.deadline, deadline.time <= now {
            let limit = exchange.request.options.timeouts[deadline.kind]
            return fail(exchange, NetworkClientError.timedOut(deadline.kind, after: limit))
        }
        let free = slots.take { slot in
            Transfer(
                slot: slot, engine: self, options: options, resolve: resolve, pool: pool, fields: fields,
                lastField: CurlVersion.current.keepsPointersToOldFields ? LastField(in: store) : nil)
        }
        guard let transfer = free else {
            return fail(exchange, NetworkClientError(.internalFailure, "libcurl has no memory for another handle"))
        }
        let code = transfer.begin(exchange, now: now)
        guard code == CURLE_OK else {
            let error = transfer.error(for: code)
            // Some options have changed, and others have not.
            slots.giveBack(transfer, isReusable: false)
            return fail(exchange, error)
        }
        exchange.slot = transfer.slot
        if exchange.plan.version == .http2PriorKnowledge { hasPriorKnowledge = true }
        inbox.live.wrappingAdd(1, ordering: .relaxed)
        watch(transfer)
        if origins.admits(exchange) { add(transfer) }
    }

    private func add(_ transfer: Transfer) {
        kicks.request()
        guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
            return complete(transfer, transfer.error(for: CURLE_FAILED_INIT))
        }
    }

    private func startReleased() {
        while let exchange = origins.nextReleased() {
            if let transfer = transfer(of: exchange) { add(transfer) }
        }
    }

    private func fail(_ exchange: Exchange, _ error: any Error) {
        exchange.upload?.close()
        guard let waiter = exchange.waiter.take() else { return }
        resumptions.append(.failed(waiter, error))
    }

    private func collectFinished() {
        var easy: UnsafeMutableRawPointer?
        var code = CURLE_OK
        while strata_multi_next_done(multi, &easy, &code) != 0 {
            guard let easy, let context = strata_get_private(easy) else { continue }
            Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef { transfer in
                guard transfer.exchange != nil else { return }
                if transfer.metEndedConnection, code == CURLE_ABORTED_BY_CALLBACK {
                    curl_multi_remove_handle(multi, easy)
                    transfer.startAfresh()
                    add(transfer)
                } else {
                    complete(transfer, transfer.verdict(code))
                }
            }
        }
    }

    private func complete(_ transfer: Transfer, _ error: (any Error)?) {
        guard let exchange = transfer.exchange else { return }
        if let waiter = exchange.waiter, let error, !transfer.head.isComplete || error is CancellationError {
            exchange.waiter = nil
            resumptions.append(.failed(waiter, error))
        } else if let answered = exchange.answer(transfer, body: finishedBody(transfer, exchange, error)) {
            resumptions.append(answered)
        }
        if let stream = transfer.stream, let resumption = stream.finish(error, metrics: transfer.metrics()) {
            resumptions.append(resumption)
        }
        let socket = transfer.socketToLookAt(error)
        if transfer.mayHaveMore { lastAnswer.mayHaveMore() }
        let isClean = transfer.dropWhatIsKept()
        curl_multi_remove_handle(multi, transfer.easy)
        exchange.slot = nil
        if let queue = exchange.queue.take() {
            queue.left(exchange, isCancelled: error is CancellationError)
            noteReleased()
        }
        inbox.live.wrappingSubtract(1, ordering: .relaxed)
        // libcurl counts the connections that have died under a handle, and fails at the sixth; after a 417 it does not
        // wait for `100 Continue` any more. It forgets neither.
        let isReusable =
            isClean && transfer.uses < 2 && (error == nil || error is CancellationError)
            && transfer.keepsLastField()
        slots.giveBack(transfer, isReusable: isReusable)
        if let socket { sockets.lookAtIdle(socket, isUsed: isUsed) }
    }

    /// The transfer is over before anybody was told of its head: head and body go up together. A failure after the head is
    /// the body's, however quickly it came.
    private func finishedBody(_ transfer: Transfer, _ exchange: Exchange, _ error: (any Error)?) -> ResponseBody {
        if error == nil, transfer.buffer.isOnePiece { return ResponseBody(transfer.buffer.popFirst() ?? Data()) }
        let length = error == nil ? Int64(transfer.buffer.count) : transfer.bodyLength
        let stream = makeStream(transfer, exchange)
        _ = stream.finish(error)
        return ResponseBody(length: length, source: stream)
    }

    private func makeStream(_ transfer: Transfer, _ exchange: Exchange) -> ResponseStream {
        let buffer = transfer.buffer
        transfer.buffer = BodyBuffer(pool: pool)
        return ResponseStream(
            buffer, isPaused: transfer.isReceivingPaused, highWaterMark: options.highWaterMark,
            exchange: exchange)
    }

    private func handOutHeads() {
        for slot in answered {
            guard let transfer = slots.busy(at: slot), let exchange = transfer.exchange else { continue }
            transfer.isListed = false
            // libcurl may be done with what has come, and sees it when it asks for more to send.
            if transfer.head.isComplete, transfer.isSendingPaused { resumeSending(transfer) }
            if transfer.outlivesItsAnswer(now: now) { watch(transfer) }
            guard transfer.head.isComplete, exchange.waiter != nil else { continue }
            let stream = makeStream(transfer, exchange)
            transfer.stream = stream
            let body = ResponseBody(length: transfer.bodyLength, source: stream)
            if let answered = exchange.answer(transfer, body: body) { resumptions.append(answered) }
        }
        answered.removeAll(keepingCapacity: true)
    }

    private func wakeReaders() {
        for stream in awaited {
            guard let (resumption, resumes) = stream.takeAwaited() else { continue }
            resumptions.append(resumption)
            if resumes { resumeReceiving(stream.exchange) }
        }
        awaited.removeAll(keepingCapacity: true)
    }

    // MARK: - Time

    private func watch(_ transfer: Transfer, notBefore earliest: UInt64 = 0) {
        if let time = transfer.nextCheck(now: now) { deadlines.note(transfer.slot, at: max(time, earliest)) }
    }

    private func failOverdue() {
        while let slot = deadlines.popDue(at: now) {
            guard let transfer = slots.busy(at: slot) else { continue }
            if transfer.releasesHeldByte(now: now) { resumeSending(transfer) }
            if transfer.checksPause(now: now) {
                if transfer.isAbandoned {
                    let error = NetworkClientError(
                        .connectionLost, "the connection ended before the response was complete")
                    complete(transfer, transfer.isAnsweredInFull ? nil : error)
                    continue
                }
                // Which is no activity.
                let lastActivity = transfer.isSilenceOurs ? now : transfer.lastActivity
                resumeSending(transfer)
                transfer.lastActivity = lastActivity
            }
            if transfer.isLeftWithItsAnswer(now: now) {
                complete(transfer, nil)
            } else if let error = transfer.overdue(now: now) {
                // An answer in full is one, though the request's body was still on its way.
                complete(transfer, transfer.isAnsweredInFull ? nil : error)
            } else {
                // However short a limit is, it is looked at once a millisecond at most.
                watch(transfer, notBefore: now.saturatingAdd(1_000_000))
            }
        }
    }

    private func armTimer() {
        let next = min(kicks.timer, deadlines.first ?? .max, watchTimer)
        guard next < armedTimer else { return }
        armedTimer = next
        events.arm(at: next)
    }

    // MARK: - What libcurl reports

    func timerChanged(_ milliseconds: Int) { kicks.request(after: milliseconds, now: MonotonicClock.now) }

    func socketChanged(_ socket: Int32, _ what: Int32) {
        // Where libcurl is in disorder it tells of a socket that is none.
        if socket >= 0 { sockets.change(socket, to: what) }
    }

    func socketOpened(_ socket: Int32) {
        kicks.noteProgress()
        closeOnExecution(socket)
        sockets.opened(socket)
        connectionLimit.opened(socket)
    }

    func socketClosed(_ socket: Int32) {
        connectionLimit.closed()
        sockets.closed(socket)
    }

    /// - Returns: whether the request may be written.
    func isAboutToSend(_ transfer: Transfer) -> Bool {
        kicks.noteProgress()
        transfer.uses += 1
        if transfer.uses > 1 { transfer.socket = -1 }
        transfer.lastActivity = now
        if CurlVersion.current.seldomLooksAtIdleConnections, transfer.meetsEndedConnection(sockets) { return false }
        guard transfer.mayBeSent(&namelessAuthorities) else { return false }
        if transfer.uses == 1, let exchange = transfer.exchange, let queue = exchange.queue {
            queue.connected(exchange)
            noteReleased()
        }
        return true
    }

    func receivedHead(_ line: UnsafeRawBufferPointer, _ transfer: Transfer) -> Bool {
        kicks.noteProgress()
        transfer.lastActivity = now
        transfer.lastField?.note(line)
        switch transfer.head.feed(line) {
        case .more:
            return true
        case .complete:
            guard let exchange = transfer.exchange else { return false }
            if transfer.head.isHTTP1 {
                sockets.answeredByHTTP1(transfer.socket)
            } else if !mayUseHTTP2(exchange) {
                transfer.failure = NetworkClientError(
                    .protocolViolation, "the status line is of another version than HTTP/1")
                // No answer, of which the body alone would fail.
                transfer.head.reset()
                return false
            }
            if let queue = exchange.queue {
                queue.answered(exchange, byHTTP1: transfer.head.isHTTP1)
                noteReleased()
            }
            transfer.forbidUnsafeReuse()
            transfer.forbidReuseBeforeMore(cameWithHead: false)
            // Of an answer whose end nobody announced, more may be there than libcurl has read.
            lastAnswer.note(port: transfer.bodyLength == nil ? 0 : transfer.localPort, at: now)
            list(transfer)
            return true
        case .violation(let reason):
            transfer.failure = NetworkClientError(.protocolViolation, reason)
            return false
        }
    }

    /// Whether the response may come over HTTP/2: in clear, on a connection that was made with prior knowledge, if not by
    /// this exchange.
    private func mayUseHTTP2(_ exchange: Exchange) -> Bool {
        exchange.request.head.scheme == "https" ? exchange.plan.version != .http1 : hasPriorKnowledge
    }

    private func noteReleased() {
        if origins.hasReleased { kicks.request() }
    }

    private func list(_ transfer: Transfer) {
        if transfer.isListed { return }
        transfer.isListed = true
        answered.append(transfer.slot)
    }

    func receivedBody(_ bytes: UnsafeRawBufferPointer, _ transfer: Transfer) -> Bool {
        kicks.noteProgress()
        transfer.lastActivity = now
        transfer.received += Int64(bytes.count)
        if transfer.isSendingPaused || transfer.isUploading && transfer.isAnsweredInFull { list(transfer) }
        let isFull: Bool
        let held: Int
        if let stream = transfer.stream {
            let pushed = stream.push(bytes, expected: transfer.head.contentLength)
            if pushed.isAwaited, awaited.last !== stream { awaited.append(stream) }
            isFull = pushed.pauses
            held = pushed.held
        } else {
            transfer.buffer.append(bytes, expected: transfer.head.contentLength)
            held = transfer.buffer.count
            isFull = held >= options.highWaterMark
        }
        guard held - options.highWaterMark <= Self.maximumExcess else {
            transfer.failure = NetworkClientError(.internalFailure, "libcurl goes on with a transfer that is paused")
            return false
        }
        // The bytes are taken and the pause is asked for: refusing them would make libcurl keep a copy.
        if isFull, !transfer.isReceivingPaused {
            transfer.isReceivingPaused = true
            transfer.applyPauses()
        }
        return true
    }

    func read(into target: UnsafeMutableRawBufferPointer, _ transfer: Transfer) -> UploadPipe.Reading {
        // The rest is not wanted any more. libcurl would go on sending to a server that is about to close, and wait for a
        // producer that has nothing yet.
        if transfer.isRefused {
            // Over HTTP/2 libcurl does not see the end of an answer without a length while sending is paused.
            guard transfer.head.isHTTP1 else { return .end }
            transfer.pauseRefused(now: now)
            watch(transfer)
            return .starving
        }
        let reading = transfer.read(into: target)
        if reading == .starving {
            let isChecked = transfer.pauseStarving(now: now)
            if transfer.holdLastByte(now: now) || isChecked { watch(transfer) }
        } else {
            kicks.noteProgress()
            transfer.lastActivity = now
        }
        if reading == .failed { transfer.failure = transfer.exchange?.upload?.failure }
        return reading
    }

    // MARK: - Shutdown

    /// Ends everything that is under way, and everything that was asked for.
    func stop(_ resumptions: inout [Resumption]) {
        let error = NetworkClientError(.transportShutDown, "the transport was shut down")
        inbox.takeCommands(&commands)
        for command in commands {
            if case .start(let exchange) = command {
                fail(exchange, exchange.isCancelled ? CancellationError() : error)
            }
        }
        commands = []
        for transfer in slots.allBusy { complete(transfer, error) }
        swap(&self.resumptions, &resumptions)
        tearDown()
    }

    private func tearDown() {
        guard !isStopped else { return }
        isStopped = true
        slots = TransferSlots()
        curl_multi_cleanup(multi)
        curl_slist_free_all(resolve)
        strata_store_free(store)
        events.close()
    }
}
