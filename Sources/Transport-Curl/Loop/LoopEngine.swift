// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import CStrataSupport
import StrataCore
import StrataTransportSupport
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
    let multi: UnsafeMutableRawPointer
    let events: EventQueue
    private let inbox: Inbox
    let options: HandleOptions
    let pruner = Pruner()
    let watch: LoopWatch
    let memory: LoopMemory
    let sockets: SocketTable

    // Not checked at run time, which costs a thirtieth of a small request: nothing that changes one of these calls back.
    @exclusivity(unchecked) var schedule = CallSchedule()
    @exclusivity(unchecked) private(set) var slots = TransferSlots()
    @exclusivity(unchecked) var deadlines = DeadlineHeap()
    @exclusivity(unchecked) var origins: Origins
    @exclusivity(unchecked) var connectionLimit = ConnectionLimit()
    @exclusivity(unchecked) private var commands: [Command] = []
    @exclusivity(unchecked) var batch = Batch()
    /// Whose certificates have been refused for having no alternative names.
    @exclusivity(unchecked) var namelessAuthorities: Set<String> = []

    private(set) var now = MonotonicClock.now
    var timers = LoopTimers()
    /// Whether libcurl is about to choose a connection for an exchange.
    private var hasStarted = false
    private(set) var isStopped = false
    /// Connections that were closed under their transfers, by the slots of these: why is known when these are over.
    @exclusivity(unchecked) var closedUnderWay: [Int: (origin: Origin, number: UInt64)] = [:]

    /// How often one batch goes round for work that it made itself, before others get their turn.
    private static let rounds = 4

    /// How long one batch goes on to take in events, before others get their turn, in nanoseconds.
    private static let share: UInt64 = 5_000_000

    init(
        multi: UnsafeMutableRawPointer, queue: EventQueue, inbox: Inbox, watch: LoopWatch, options: HandleOptions
    ) {
        self.multi = multi
        events = queue
        sockets = SocketTable(queue)
        self.inbox = inbox
        self.watch = watch
        self.options = options
        let connectionsPerHost = max(0, options.configuration.maximumConnectionsPerHost)
        origins = Origins(limit: connectionsPerHost)
        memory = LoopMemory(options)
        // Before 8.20 it is the business of each handle.
        _ = strata_multi_set_quick_exit(multi)
        strata_multi_set_events(multi, onSocketChange, onTimerChange, Unmanaged.passUnretained(self).toOpaque())
        strata_multi_set_long(multi, CURLMOPT_MAXCONNECTS, ConnectionLimit.initial)
        let sharing = CurlVersion.current.sharesConnections ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING
        strata_multi_set_long(multi, CURLMOPT_PIPELINING, Int(sharing))
        strata_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 1000)
        strata_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, max(0, options.configuration.maximumConnections))
        strata_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
    }

    deinit { tearDown() }

    // MARK: - Batches

    /// One batch.
    ///
    /// - Returns: whether there is more to do at once.
    func runBatch(_ ready: inout EventQueue.Ready, _ resumptions: inout [Resumption]) -> Bool {
        guard !isStopped else { return false }
        strata_store_use(memory.store)
        watch.beginBatch()
        defer {
            watch.endBatch()
            strata_store_use(nil)
        }
        now = MonotonicClock.now
        let end = now.saturatingAdd(Self.share)
        let isTimerDue = events.dispatch(&ready, sockets) {
            watch.noteStep()
            return MonotonicClock.now < end
        }
        if isTimerDue {
            // Spurious when the deadline moved away meanwhile: harmless.
            timers.armed = .max
            schedule.request()
        }
        return carryOut(&resumptions)
    }

    /// A batch without events: new commands, and what they bring.
    func runBatch(_ resumptions: inout [Resumption]) -> Bool {
        guard !isStopped else { return false }
        strata_store_use(memory.store)
        watch.beginBatch()
        defer {
            watch.endBatch()
            strata_store_use(nil)
        }
        now = MonotonicClock.now
        return carryOut(&resumptions)
    }

    private func carryOut(_ resumptions: inout [Resumption]) -> Bool {
        assert(resumptions.isEmpty)
        batch.begin()
        resumeYielding()
        var round = 0
        repeat {
            takeCommands()
            startReleased()
            if schedule.isDue { callLibcurl() }
            round += 1
        } while schedule.isDue && round < Self.rounds
        if let limit = connectionLimit.takeChange() { strata_multi_set_long(multi, CURLMOPT_MAXCONNECTS, limit) }
        failFlooded()
        failOverdue()
        endIdleConnections()
        tellThoseThatWait()
        collectFinished()
        wakeReaders()
        handOutHeads()
        armTimer()
        swap(&batch.resumptions, &resumptions)
        return schedule.isDue || !batch.yielding.isEmpty
    }

    private func callLibcurl() {
        schedule.begin()
        if hasStarted {
            hasStarted = false
            sockets.look()
        }
        watch.noteStep()
        events.callLibcurl()
        sockets.lookEnded()
        schedule.end(now: now)
    }

    func noteReleased() {
        if origins.hasReleased { schedule.request() }
    }

    private func takeCommands() {
        inbox.takeCommands(&commands)
        if commands.isEmpty { return }
        schedule.noteCommands()
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
        case .named(let exchange, let name, let result):
            if let transfer = transfer(of: exchange) { named(transfer, name, result) }
        case .resumeSending(let exchange):
            if let transfer = transfer(of: exchange), transfer.sending.isPaused { resumeSending(transfer) }
        }
    }

    private func resumeReceiving(_ exchange: Exchange) {
        guard let transfer = transfer(of: exchange), transfer.receiving.isPaused else { return }
        transfer.receiving.isPaused = false
        resume(transfer)
    }

    func resumeSending(_ transfer: Transfer) {
        transfer.sending.isPaused = false
        resume(transfer)
    }

    func resume(_ transfer: Transfer) {
        transfer.lastActivity = now
        let code = applyPauses(transfer)
        // libcurl hands out here what it had kept, and looks no more at a transfer that fails with it. One that is over and
        // not yet collected has no connection to pause, which is no failure.
        if code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT { complete(transfer, transfer.error(for: code)) }
        schedule.request()
    }

    @discardableResult
    func applyPauses(_ transfer: Transfer) -> CURLcode {
        let code = transfer.applyPauses()
        if CurlVersion.current.readsOnWhilePaused {
            sockets.holdBack(transfer.connection.socket, transfer.receiving.isHeldBack)
        }
        return code
    }

    var inboxLive: Int { inbox.live.load(ordering: .relaxed) }

    func transfer(of exchange: Exchange) -> Transfer? {
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
            Transfer(slot: slot, engine: self, options: options, memory: memory)
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
        inbox.live.wrappingAdd(1, ordering: .relaxed)
        watch(transfer)
        if origins.admits(exchange) { add(transfer) } else { tellWaiting(exchange) }
    }

    func add(_ transfer: Transfer) {
        schedule.request()
        hasStarted = true
        guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
            return complete(transfer, transfer.error(for: CURLE_FAILED_INIT))
        }
        noteBegun(transfer)
    }

    private func fail(_ exchange: Exchange, _ error: any Error) {
        exchange.upload?.close()
        guard let waiter = exchange.takeWaiter() else { return }
        batch.resumptions.append(.failed(waiter, error))
    }

    private func collectFinished() {
        var easy: UnsafeMutableRawPointer?
        var code = CURLE_OK
        while strata_multi_next_done(multi, &easy, &code) != 0 {
            guard let easy, !pruner.ends(easy, multi), let context = strata_get_private(easy) else { continue }
            Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef { transfer in
                guard transfer.exchange != nil else { return }
                if transfer.connection.isRefused, code == CURLE_ABORTED_BY_CALLBACK {
                    // Of the body, something may have gone out on the connection before.
                    if transfer.rewind() { sendAfresh(transfer) } else { complete(transfer, Transfer.notSentAgain) }
                } else if code == CURLE_SEND_ERROR, sendsAgain(transfer) {
                    return
                } else if transfer.naming?.isUnderWay == true {
                    curl_multi_remove_handle(multi, easy)
                    lookUpNames(transfer)
                } else if transfer.isRefusedUnprocessed(code),
                    transfer.mayBeRepeated(isUnprocessed: true, after: transfer.uses)
                {
                    curl_multi_remove_handle(multi, easy)
                    leaveConnection(transfer)
                    transfer.restart()
                    add(transfer)
                } else {
                    complete(transfer, transfer.verdict(code))
                }
            }
        }
    }

    func complete(_ transfer: Transfer, _ error: (any Error)?) {
        guard let exchange = transfer.exchange else { return }
        if let error { leaveIfSilent(transfer, error) }
        transfer.naming?.cancel(options.resolver)
        if let error, !transfer.head.isComplete || error is CancellationError {
            if let waiter = exchange.takeWaiter() { batch.resumptions.append(.failed(waiter, error)) }
        } else if let answered = exchange.answer(transfer, body: finishedBody(transfer, exchange, error)) {
            batch.resumptions.append(answered)
        }
        if let ended = transfer.stream?.finish(
            error, metrics: transfer.metrics(), trailers: transfer.head.trailers)
        {
            batch.resumptions.append(ended)
        }
        if error != nil, sockets.connection(transfer.connection.socket)?.version == .http2 {
            watch.cancelledStream(on: transfer.connection.socket)
            // From 8.1 to 8.12 libcurl leaves an upload's stream open. Where it has its connection to itself, that ends.
            if transfer.isUploading, !CurlVersion.current.sharesConnections {
                transfer.settings.forbidReuse(transfer.easy)
            }
        }
        let isClean = transfer.dropWhatIsKept()
        curl_multi_remove_handle(multi, transfer.easy)
        leaveConnection(transfer, .after(error))
        exchange.slot = nil
        if let queue = exchange.queue.take() {
            queue.left(exchange, isCancelled: error is CancellationError)
            noteReleased()
        }
        inbox.live.wrappingSubtract(1, ordering: .relaxed)
        // libcurl counts the connections that have died under a handle, and fails at the sixth; after a 417 it does not
        // wait for `100 Continue` any more. It forgets neither.
        let isReusable =
            isClean && transfer.connection.count < 2 && (error == nil || error is CancellationError)
            && transfer.keepsLastField()
        slots.giveBack(transfer, isReusable: isReusable)
    }

    /// The transfer is over before anybody was told of its head: head and body go up together. A failure after the head is
    /// the body's, however quickly it came.
    private func finishedBody(_ transfer: Transfer, _ exchange: Exchange, _ error: (any Error)?) -> ResponseBody {
        if error == nil, transfer.buffer.isOnePiece {
            return ResponseBody(transfer.buffer.popFirst() ?? Data(), trailers: transfer.head.trailers)
        }
        let length = error == nil ? Int64(transfer.buffer.count) : transfer.bodyLength
        let stream = makeStream(transfer, exchange)
        _ = stream.finish(error, metrics: transfer.metrics(), trailers: transfer.head.trailers)
        return ResponseBody(length: length, source: stream)
    }

    private func makeStream(_ transfer: Transfer, _ exchange: Exchange) -> ResponseStream {
        let buffer = transfer.buffer
        transfer.buffer = BodyBuffer(pool: memory.pool)
        return ResponseStream(
            buffer, isPaused: transfer.receiving.isPaused, highWaterMark: options.highWaterMark,
            exchange: exchange)
    }

    private func handOutHeads() {
        for slot in batch.answered {
            guard let transfer = slots.busy(at: slot), let exchange = transfer.exchange else { continue }
            transfer.isListed = false
            // libcurl may be done with what has come, and sees it when it asks for more to send.
            if transfer.head.isComplete, transfer.sending.isPaused { resumeSending(transfer) }
            if transfer.isAnsweredEarly(now: now) { watch(transfer) }
            guard transfer.head.isComplete, exchange.isWaiting else { continue }
            let stream = makeStream(transfer, exchange)
            transfer.stream = stream
            let body = ResponseBody(length: transfer.bodyLength, source: stream)
            if let answered = exchange.answer(transfer, body: body) { batch.resumptions.append(answered) }
        }
        batch.answered.removeAll(keepingCapacity: true)
    }

    private func wakeReaders() {
        for stream in batch.awaited {
            guard let (resumption, resumes) = stream.takeAwaited() else { continue }
            batch.resumptions.append(resumption)
            if resumes { resumeReceiving(stream.exchange) }
        }
        batch.awaited.removeAll(keepingCapacity: true)
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
        swap(&batch.resumptions, &resumptions)
        tearDown()
    }

    private func tearDown() {
        guard !isStopped else { return }
        isStopped = true
        slots = TransferSlots()
        pruner.stop(multi)
        curl_multi_cleanup(multi)
        memory.free()
        events.close()
    }
}
