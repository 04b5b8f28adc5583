// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One easy handle, and the exchange that it carries. Touched under the loop's lock alone.
///
/// Handles are kept for later exchanges: making one costs as much as a whole small request.
final class Transfer {
    let easy: UnsafeMutableRawPointer
    let slot: Int
    /// The engine that owns this transfer, and outlives its handle.
    let engine: Unmanaged<LoopEngine>
    private let arena = RequestArena()
    private let detail: UnsafeMutablePointer<CChar>

    // The exchange under way.
    private(set) var exchange: Exchange?
    // Exclusive access is not checked at run time, because that costs more than parsing a line of a head. Both are
    // changed in one place at a time.
    @exclusivity(unchecked) var head: HeadParser
    @exclusivity(unchecked) var buffer: BodyBuffer
    var stream: ResponseStream?
    /// An error of the engine's own, which says more than libcurl's.
    var failure: (any Error)?
    var received: Int64 = 0
    var lastActivity: UInt64 = 0
    /// How many bytes of the request's body libcurl had written at the last look.
    private var written: Int64 = 0
    /// When the last byte of an upload is sent though its source has not ended.
    private var heldUntil = UInt64.max
    /// When an answer in full ends the exchange though the request's body is still on its way.
    private var answerStandsAt = UInt64.max
    /// When libcurl, told to go on sending for a moment, is asked whether the answer or the connection has ended.
    private var pauseCheckAt = UInt64.max
    private var started: UInt64 = 0
    /// How often the request was about to be written to a connection.
    var uses = 0
    /// The socket that libcurl spoke of last for this transfer, if it has.
    var socket: Int32 = -1
    /// The local port of the connection to which the request was last written; 0 when there is none.
    var localPort: UInt16 = 0
    var isReceivingPaused = false
    var isSendingPaused = false
    var isListed = false
    private var sentOffset = 0
    /// Whether more may have come behind the answer, on a socket of which libcurl has not spoken.
    private(set) var mayHaveMore = false
    /// Whether the exchange was stopped before it used an idle connection that has ended, and is to begin again.
    private(set) var metEndedConnection = false

    @exclusivity(unchecked) var settings: RequestSettings
    @exclusivity(unchecked) var lastField: LastField?

    init?(
        slot: Int, engine: LoopEngine, options: HandleOptions, resolve: UnsafeMutablePointer<curl_slist>?,
        pool: SegmentPool, fields: FieldMemory, lastField: LastField? = nil
    ) {
        guard let easy = curl_easy_init() else { return nil }
        guard let settings = RequestSettings(options) else {
            curl_easy_cleanup(easy)
            return nil
        }
        self.easy = easy
        self.settings = settings
        self.lastField = lastField
        self.slot = slot
        self.engine = Unmanaged.passUnretained(engine)
        detail = .allocate(capacity: Int(CURL_ERROR_SIZE))
        detail.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        head = HeadParser(limit: options.configuration.maximumHeadBytes, memory: fields)
        buffer = BodyBuffer(pool: pool)
        // Unretained: this object ends its handle when it goes, and libcurl makes no call for a handle that has ended.
        let context = Unmanaged.passUnretained(self).toOpaque()
        var setter = OptionSetter(easy)
        setter.apply(options, resolve: resolve)
        setter.note(strata_set_receiving(easy, receiveHead, receiveBody, context))
        setter.note(strata_set_sending(easy, sendBody, rewindBody, context))
        setter.note(
            strata_set_sockets(easy, onSocketOpened, closeConnection, Unmanaged.passUnretained(engine).toOpaque()))
        setter.note(strata_set_prereq(easy, beforeRequest, context))
        if options.httpProxy.isHTTP || options.httpsProxy.isHTTP {
            setter.set(CURLOPT_PROXYHEADER, pointer: arena.proxyLines)
        }
        setter.set(CURLOPT_ERRORBUFFER, pointer: detail)
        setter.set(CURLOPT_PRIVATE, pointer: context)
        setupFailure = setter.failure
    }

    private var setupFailure = CURLE_OK

    deinit {
        curl_easy_cleanup(easy)
        lastField?.free()
        settings.free()
        detail.deallocate()
    }

    // MARK: - Beginning and end

    /// - Returns: libcurl's refusal, if any.
    func begin(_ exchange: Exchange, now: UInt64) -> CURLcode {
        self.exchange = exchange
        (started, lastActivity) = (now, now)
        let plan = exchange.plan
        var payload: Data?
        if case .bytes(let data) = plan.sending, data.count <= RequestPlan.inlineBody { payload = data }
        let head = exchange.request.head
        if let payload {
            payload.withUnsafeBytes { arena.fill(head, plan.extraLines, payload: $0) }
        } else {
            arena.fill(head, plan.extraLines, payload: nil)
        }
        guard arena.headSize + (payload?.count ?? 0) <= RequestPlan.maximumHead else {
            failure = NetworkClientError(
                .unsupportedByTransport, "libcurl sends no request whose head is larger than a megabyte")
            return CURLE_OUT_OF_MEMORY
        }
        var setter = OptionSetter(easy)
        setter.note(setupFailure)
        setter.set(CURLOPT_HTTPHEADER, pointer: arena.lines)
        settings.apply(exchange, arena, payloadSize: payload?.count, to: &setter)
        return setter.failure
    }

    /// Forgets the exchange; the handle is ready for the next.
    func end() {
        exchange?.upload?.close()
        exchange = nil
        stream = nil
        failure = nil
        startOver()
        uses = 0
        mayHaveMore = false
        (heldUntil, answerStandsAt, pauseCheckAt) = (.max, .max, .max)
        (socket, localPort) = (-1, 0)
        isListed = false
        metEndedConnection = false
    }

    /// Whether the connection that libcurl has chosen for the request was idle and has ended, which libcurl has not
    /// checked. Nothing of the request has been written to it.
    func meetsEndedConnection(_ sockets: SocketTable) -> Bool {
        guard uses == 1, number(CURLINFO_NUM_CONNECTS) == 0,
            let socket = activeSocket, sockets.hasEnded(socket)
        else { return false }
        metEndedConnection = true
        // Otherwise the connection would stay open if it carries other exchanges.
        settings.forbidReuse(easy)
        return true
    }

    /// The exchange begins once more, on a connection of its own making.
    func startAfresh() {
        startOver()
        // If the new connection is refused too, the exchange fails.
        metEndedConnection = false
        (uses, socket, localPort) = (0, -1, 0)
        settings.requireFreshConnection(easy, isLast: exchange?.plan.closesConnection == true)
    }

    /// Whether the handle may have another response after this one; see ``LastField``.
    func keepsLastField() -> Bool {
        !CurlVersion.current.keepsPointersToOldFields || lastField?.keep() == true
    }

    /// Forgets what has come so far: the request is being sent once more.
    func startOver() {
        head.reset()
        buffer.removeAll()
        (isReceivingPaused, isSendingPaused, sentOffset, received, written) = (false, false, 0, 0, 0)
        detail.pointee = 0
    }

    // MARK: - Sending

    /// Whether the server has answered with something else than success, which ends the sending (RFC 9112 §9.5).
    var isRefused: Bool { head.isComplete && head.code >= 300 }

    /// The length of the response's body, when it is known.
    var bodyLength: Int64? {
        exchange?.request.head.method.responseHasContent(status: head.code) == false ? 0 : head.contentLength
    }

    /// Whether nothing of the response is missing, as far as its length tells.
    var isAnsweredInFull: Bool { head.isComplete && received == bodyLength }

    /// Fills `target` with what is to be sent next.
    func read(into target: UnsafeMutableRawBufferPointer) -> UploadPipe.Reading {
        guard let exchange else { return .failed }
        if case .bytes(let data) = exchange.plan.sending {
            let count = min(target.count, data.count - sentOffset)
            guard count > 0 else { return .end }
            let start = data.startIndex + sentOffset
            data.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: target[..<count]), from: start..<(start + count))
            sentOffset += count
            return .bytes(count)
        }
        let reading = exchange.upload?.read(into: target) ?? .failed
        if case .bytes(let count) = reading { sentOffset += count }
        return reading
    }

    /// Whether the body can be sent again from its beginning. A pipe does not give again what it has given.
    func rewind() -> Bool {
        guard let exchange, case .bytes = exchange.plan.sending, exchange.plan.isReplayable else {
            return sentOffset == 0
        }
        sentOffset = 0
        return true
    }

    /// Tells libcurl which directions go on.
    @discardableResult
    func applyPauses() -> CURLcode {
        let bits = (isReceivingPaused ? CURLPAUSE_RECV : 0) | (isSendingPaused ? CURLPAUSE_SEND : 0)
        return curl_easy_pause(easy, bits)
    }

    /// Has libcurl forget the bytes that it keeps while receiving is paused. Over HTTP/2 an old version (7.88) would
    /// hand them out to the handle's next exchange, and would not free them with the handle.
    ///
    /// - Returns: whether it has; not when the transfer has failed and is not yet collected.
    func dropWhatIsKept() -> Bool {
        guard isReceivingPaused else { return true }
        isReceivingPaused = false
        // Without an exchange, the callbacks refuse the bytes that libcurl hands out.
        let exchange = exchange
        self.exchange = nil
        defer { self.exchange = exchange }
        return applyPauses() != CURLE_BAD_FUNCTION_ARGUMENT
    }

    // MARK: - Time

    /// When the transfer has to be looked at, at the latest; `nil` when nothing limits it.
    func nextCheck(now: UInt64) -> UInt64? {
        guard let exchange, let limits = settings.limits else { return nil }
        var idle = (isSilenceOurs ? now : lastActivity).saturatingAdd(limits.idle)
        // How much of the body libcurl has written is only known by asking from time to time.
        if exchange.plan.hasBody { idle = min(idle, now.saturatingAdd(limits.idle / 4)) }
        let next = min(exchange.deadline?.time ?? .max, connectLimit, idle, heldUntil, answerStandsAt, pauseCheckAt)
        return next == .max ? nil : next
    }

    /// libcurl's timer does not run while a transfer waits for one of a limited number of connections.
    private var connectLimit: UInt64 { uses > 0 ? .max : started.saturatingAdd(settings.limits?.connect ?? .max) }

    /// The limit that has passed.
    func overdue(now: UInt64) -> NetworkClientError? {
        guard let exchange else { return nil }
        if let deadline = exchange.deadline, deadline.time <= now {
            return .timedOut(deadline.kind, after: exchange.request.options.timeouts[deadline.kind])
        }
        if connectLimit <= now {
            return .timedOut(.connect, after: exchange.request.options.timeouts.connect)
        }
        // A limit of zero has always passed, whichever side is silent.
        guard let limits = settings.limits, limits.idle == 0 || !isSilenceOurs else { return nil }
        if limits.idle > 0, exchange.plan.hasBody, hasWrittenMore() {
            lastActivity = now
            if answerStandsAt != .max { answerStandsAt = now.saturatingAdd(Self.hold) }
        }
        guard lastActivity.saturatingAdd(limits.idle) <= now else { return nil }
        return .timedOut(.idle, after: limits.timeouts.idle)
    }

    /// Whether nothing happens because the connection is still being made, which has a limit of its own, or because the
    /// caller holds the transfer back.
    var isSilenceOurs: Bool {
        uses == 0 || isReceivingPaused || (isSendingPaused && !head.isComplete)
    }

    /// Whether more of the request's body has been written: libcurl asks for it in large pieces, and writes these in
    /// small ones.
    private func hasWrittenMore() -> Bool {
        guard let count = size(CURLINFO_SIZE_UPLOAD_T), count > written else { return false }
        written = count
        return true
    }

    // MARK: - The end of an upload

    /// Stops sending a body that the server has refused, without marking its end. While sending is paused, libcurl does
    /// not report the end of the answer unless it is asked.
    func pauseRefused(now: UInt64) {
        isSendingPaused = true
        pauseCheckAt = now.saturatingAdd(50_000_000)
    }

    /// Waits for a body that has no bytes yet. An old libcurl does not report meanwhile that the server has gone.
    ///
    /// - Returns: whether libcurl is asked from now on.
    func pauseStarving(now: UInt64) -> Bool {
        isSendingPaused = true
        guard CurlVersion.current.overlooksEndWhilePaused, pauseCheckAt == .max else { return false }
        pauseCheckAt = now.saturatingAdd(1_000_000_000)
        return true
    }

    /// - Returns: whether libcurl is asked now.
    func checksPause(now: UInt64) -> Bool {
        guard pauseCheckAt <= now else { return false }
        pauseCheckAt = .max
        return isSendingPaused
    }

    /// Whether the server has gone, when that does not also end the response.
    var isAbandoned: Bool {
        // Unknown while receiving is paused: libcurl may have read bytes that it has not handed out.
        guard !isReceivingPaused, !head.isComplete || bodyLength != nil, socket >= 0 else { return false }
        return StrataCurl.localPort(socket) == localPort && hasEnded(socket)
    }

    /// How long the last byte of an upload waits for the end of its source, and how long a complete answer waits for a
    /// server that takes nothing more.
    private static let hold: UInt64 = 1_000_000_000

    /// - Returns: whether it is held from now on.
    func holdLastByte(now: UInt64) -> Bool {
        guard heldUntil == .max, exchange?.upload?.isHoldingLastByte == true else { return false }
        heldUntil = now.saturatingAdd(Self.hold)
        return true
    }

    /// - Returns: whether it may go now.
    func releasesHeldByte(now: UInt64) -> Bool {
        guard heldUntil <= now else { return false }
        heldUntil = .max
        guard isSendingPaused, let upload = exchange?.upload, upload.isHoldingLastByte else { return false }
        upload.releaseLastByte()
        return true
    }

    /// Whether the request has a body that libcurl asks for piece by piece.
    var isUploading: Bool { exchange?.plan.sending.isPiecewise == true }

    /// Whether the answer is there in full while the request's body is on its way; true once.
    func outlivesItsAnswer(now: UInt64) -> Bool {
        guard answerStandsAt == .max, isUploading, isAnsweredInFull else { return false }
        answerStandsAt = now.saturatingAdd(Self.hold)
        _ = hasWrittenMore()
        return true
    }

    /// Whether such an answer ends the exchange: the server has taken nothing for a while, though there was something
    /// to send.
    func isLeftWithItsAnswer(now: UInt64) -> Bool {
        guard answerStandsAt <= now else { return false }
        if !isSendingPaused, !isReceivingPaused, !hasWrittenMore() { return true }
        answerStandsAt = now.saturatingAdd(Self.hold)
        return false
    }

    /// The server has answered. If the body waited for the server's consent and was not sent, the connection must not
    /// be used again, although libcurl would do so after a success: the server would read the next request as that body
    /// (RFC 9112 §6.3). The same holds when it is in doubt where the answer ends.
    func forbidUnsafeReuse() {
        guard head.isHTTP1 else { return }
        let isBodyLeft = exchange?.plan.expectsContinue == true && size(CURLINFO_SIZE_UPLOAD_T) == 0
        if isBodyLeft || head.isDoubtful { settings.forbidReuse(easy) }
    }

    /// What comes behind an answer is no answer to the next request (RFC 9112 §9.2). libcurl reads to the announced end of the body
    /// and no further, and uses the connection again. It knows of more where that came with the rest, in one read.
    ///
    /// - Parameter cameWithHead: whether the body did, as a small one does nearly always: to ask the system would cost as much
    ///   as a quarter of such an exchange's calls. With TLS a read ends with a record, whatever has come behind it.
    func forbidReuseBeforeMore(cameWithHead: Bool) {
        guard head.isHTTP1, isAnsweredInFull else { return }
        let decrypted = strata_tls_pending(easy, Self.decryptedBytes)
        let cameInOneRead = cameWithHead && decrypted < 0 && head.size + Int(received) < settings.receiveBuffer ?? 0
        if decrypted > 0 || !cameInOneRead && socket >= 0 && hasInput(socket) { settings.forbidReuse(easy) }
        mayHaveMore = !cameInOneRead && socket < 0
    }

    /// Where more may have come behind an answer whose end nobody announced: libcurl does not tell when that comes, and
    /// then uses the connection again.
    func socketToLookAt(_ error: (any Error)?) -> Int32? {
        error == nil && head.isHTTP1 && bodyLength == nil && socket >= 0 ? socket : nil
    }

    /// How many bytes OpenSSL has decrypted that nobody has read.
    private static let decryptedBytes: (@convention(c) (UnsafeRawPointer?) -> Int32)? = {
        #if os(Linux)
        librarySymbol("SSL_pending", in: []).map {
            unsafeBitCast($0, to: (@convention(c) (UnsafeRawPointer?) -> Int32).self)
        }
        #else
        // Where each library has its own, this may be the function of another one than libcurl's.
        nil
        #endif
    }()

    // MARK: - What libcurl knows

    /// Whether libcurl has a sentence about the failure.
    var hasDetail: Bool { detail.pointee != 0 }

    /// libcurl's verdict on the exchange, as an error of ours.
    func error(for code: CURLcode) -> any Error {
        if let failure { return failure }
        return NetworkClientError(
            code,
            FailureContext(
                detail: String(cString: detail), isSent: uses > 0,
                connectTimeout: exchange?.request.options.timeouts.connect, proxy: settings.proxy))
    }
}
