// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import StrataCore
import StrataTransportSupport

/// What may come above the high-water mark: twice the window of a stream of HTTP/2, which libcurl takes in whatever is
/// paused. Pausing was broken in some of its versions (curl #9180, #10988, #19334).
private let maximumExcess = 64 << 20

/// What libcurl reports while it is called, and what it asks.
extension LoopEngine {
    private func noteProgress() {
        schedule.noteProgress()
        watch.noteStep()
    }

    func timerChanged(_ milliseconds: Int) { schedule.request(after: milliseconds, now: MonotonicClock.now) }

    func socketChanged(_ socket: Int32, _ what: Int32) {
        // Where libcurl is in disorder it tells of a socket that is none.
        if socket >= 0 { sockets.change(socket, to: Interest(rawValue: what)) }
    }

    func socketSpokenOf(_ socket: Int32, for transfer: Transfer) {
        guard transfer.connection.note(socket) else { return }
        sockets.unknownUseEnded()
        sockets.use(socket, by: transfer.slot, localPort: 0, version: transfer.settledVersion())
    }

    func socketOpened(_ socket: Int32, for transfer: Transfer) {
        noteProgress()
        transfer.connection.opens(socket)
        closeOnExecution(socket)
        if options.tcpKeepAlive > 0 { strata_keep_alive(socket, options.tcpKeepAlive) }
        sockets.opened(socket)
        watch.opened(socket)
        connectionLimit.opened(socket)
    }

    func socketClosed(_ socket: Int32) {
        connectionLimit.closed()
        noteFloods()
        watch.closed(socket)
        tellClosed(socket)
        sockets.closed(socket)
    }

    /// libcurl has chosen a connection for the request.
    ///
    /// - Returns: whether the request may be written to it.
    func isAboutToSend(_ transfer: Transfer, localPort: UInt16) -> Bool {
        noteProgress()
        transfer.lastActivity = now
        // libcurl sends the request once more, by itself.
        let isUnprocessed = transfer.connection.count > 0 && transfer.isRefusedUnprocessed()
        if isUnprocessed { transfer.noteRefusal() }
        leaveConnection(transfer)
        let socket = sockets.socket(
            ofPort: localPort, likely: transfer.connection.spokenOf,
            mayBeNew: transfer.number(CURLINFO_NUM_CONNECTS) != 0)
        guard mayCarry(transfer, socket, localPort) else {
            transfer.refuseConnection()
            return false
        }
        transfer.connection.begin(socket, localPort: localPort)
        if let socket {
            tellUse(of: socket, by: transfer)
            sockets.use(socket, by: transfer.slot, localPort: localPort, version: transfer.settledVersion())
        } else {
            sockets.useUnknown()
        }
        if transfer.isWarilySent, let socket { strata_acknowledge(socket) }
        transfer.connection.speaks(socket.flatMap(sockets.connection)?.version)
        transfer.head.mayBeHTTP2 = mayBeHTTP2(transfer)
        guard transfer.mayBeSent(&namelessAuthorities, isUnprocessed: isUnprocessed) else { return false }
        if transfer.connection.count == 1, let exchange = transfer.exchange, let queue = exchange.queue {
            queue.connected(exchange)
            noteReleased()
        }
        return true
    }

    /// Whether a request may go out on the connection, so that what comes there is its answer. On a new one it may.
    private func mayCarry(_ transfer: Transfer, _ socket: Int32?, _ localPort: UInt16) -> Bool {
        guard let socket, let connection = sockets.connection(socket) else {
            return transfer.number(CURLINFO_NUM_CONNECTS) != 0 || sockets.areQuiet(fromPort: localPort)
        }
        guard connection.hasCarried else { return true }
        switch connection.version {
        case .http1:
            if let user = connection.user, user != transfer.slot, slots.busy(at: user)?.hasConnection == true {
                // libcurl takes it for one that carries many, when a status line has said so.
                return false
            }
            // libcurl sends a request again, since its connection has ended. The next idle one may end just as well.
            let isRepeated = transfer.connection.count > 0 && !transfer.head.isComplete
            return !isRepeated && now < connection.expiry && sockets.isQuiet(socket)
                && !transfer.hasDecrypted
        case .http2:
            return !connection.hasEnded && !connection.isLeft
                && !(CurlVersion.current.seldomLooksAtIdleConnections && isClosedByPeer(socket))
        case nil:
            return !connection.hasEnded && !connection.isLeft
        }
    }

    /// Whether the answer may come over HTTP/2. Where it is not known how the connection speaks, libcurl is believed.
    private func mayBeHTTP2(_ transfer: Transfer) -> Bool {
        let use = transfer.connection
        if let connection = sockets.connection(use.socket), let version = connection.version {
            return version == .http2
        }
        guard let exchange = transfer.exchange else { return false }
        return exchange.request.head.scheme == "https"
            ? exchange.plan.version != .http1 : exchange.plan.version == .http2PriorKnowledge
    }

    func receivedHead(_ line: UnsafeRawBufferPointer, _ transfer: Transfer) -> Bool {
        noteProgress()
        transfer.lastActivity = now
        transfer.lastField?.note(line)
        switch transfer.head.feed(line) {
        case .more:
            return true
        case .interim(let head):
            transfer.exchange?.noteInterim(head)
            return true
        case .complete:
            guard let exchange = transfer.exchange else { return false }
            sockets.answered(transfer.connection.socket, over: transfer.head.isHTTP1 ? .http1 : .http2)
            if let queue = exchange.queue {
                queue.answered(exchange, byHTTP1: transfer.head.isHTTP1)
                noteReleased()
            }
            transfer.forbidUnsafeReuse()
            if transfer.needsCloseNotify { transfer.settings.beginWatch(transfer.easy) }
            if transfer.mayDropWhatComesBehind { transfer.settings.beginLog(transfer.easy) }
            list(transfer)
            return true
        case .violation(let reason):
            transfer.failure = NetworkClientError(.protocolViolation, reason)
            return false
        }
    }

    private func list(_ transfer: Transfer) {
        if transfer.isListed { return }
        transfer.isListed = true
        batch.answered.append(transfer.slot)
    }

    func receivedBody(_ bytes: UnsafeRawBufferPointer, _ transfer: Transfer) -> Bool {
        noteProgress()
        transfer.lastActivity = now
        transfer.receiving.count += Int64(bytes.count)
        if transfer.sending.isPaused || transfer.isUploading && transfer.isAnsweredInFull { list(transfer) }
        let isFull: Bool
        let held: Int
        if let stream = transfer.stream {
            let pushed = stream.push(bytes, expected: transfer.head.contentLength)
            if pushed.isAwaited, batch.awaited.last !== stream { batch.awaited.append(stream) }
            isFull = pushed.pauses
            held = pushed.held
        } else {
            transfer.buffer.append(bytes, expected: transfer.head.contentLength)
            held = transfer.buffer.count
            isFull = held >= options.highWaterMark
        }
        guard held - options.highWaterMark <= maximumExcess else {
            transfer.failure = NetworkClientError(.internalFailure, "libcurl goes on with a transfer that is paused")
            return false
        }
        // Now and then: to add them all up takes time.
        if transfer.receiving.isPaused, held / Self.step != (held - bytes.count) / Self.step,
            unreadBytes > options.configuration.maximumUnreadBytes
        {
            let limit = options.configuration.maximumUnreadBytes
            transfer.failure = NetworkClientError(
                .bodyTooLarge, "more than \(limit) bytes wait in bodies that nobody reads (maximumUnreadBytes)")
            return false
        }
        // The bytes are taken and the pause is asked for: refusing them would make libcurl keep a copy.
        let hasHadItsShare =
            transfer.receiving.share.isUsed(inBatch: batch.number) && !transfer.receiving.share.isYielding
        if isFull && !transfer.receiving.isPaused || hasHadItsShare {
            if isFull { transfer.receiving.isPaused = true }
            if hasHadItsShare { putOff(transfer) }
            applyPauses(transfer)
        }
        return true
    }

    /// A server over TLS that refuses the body at once may not get its answer out before it closes: until its session tickets are
    /// acknowledged, its system keeps small messages back (RFC 9293 §3.7.4), and drops them with the reset. So they are
    /// acknowledged now, and the first bytes go out in small steps, between which an answer is seen.
    private func prepareForRefusal(
        _ target: UnsafeMutableRawBufferPointer, _ transfer: Transfer
    ) -> UnsafeMutableRawBufferPointer {
        strata_acknowledge(transfer.connection.socket)
        return UnsafeMutableRawBufferPointer(rebasing: target.prefix(16 * 1024))
    }

    /// After how many bytes of a paused body all are added up.
    private static var step: Int { 1 << 20 }

    /// What has come of paused bodies and waits for readers.
    private var unreadBytes: Int {
        slots.allBusy.reduce(0) { $1.receiving.isPaused ? $0 + ($1.stream?.held ?? $1.buffer.count) : $0 }
    }

    func read(into target: UnsafeMutableRawBufferPointer, _ transfer: Transfer) -> UploadPipe.Reading {
        // The rest is not wanted any more. libcurl would go on sending to a server that is about to close, and wait for a
        // producer that has nothing yet.
        if transfer.isRefused {
            // Over HTTP/2 libcurl does not see the end of an answer without a length while sending is paused.
            guard transfer.head.isHTTP1 else { return .end }
            transfer.sending.pauseRefused(now: now)
            watch(transfer)
            return .starving
        }
        let reading = transfer.read(into: transfer.isWarilySent ? prepareForRefusal(target, transfer) : target)
        if reading == .starving {
            let isChecked = transfer.sending.pauseStarving(
                now: now, isAsked: CurlVersion.current.overlooksEndWhilePaused)
            if transfer.holdsLastByte(now: now) || isChecked { watch(transfer) }
        } else {
            noteProgress()
            transfer.lastActivity = now
        }
        if reading == .failed { transfer.failure = transfer.exchange?.upload?.failure }
        return reading
    }
}
