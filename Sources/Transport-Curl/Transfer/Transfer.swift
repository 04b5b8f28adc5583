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
    private var started: UInt64 = 0
    var isReceivingPaused = false
    var isListed = false
    var sending = Sending()
    var connection = ConnectionUse()
    /// The names that the connection needs, once libcurl has asked for one.
    var naming: Naming?
    /// How often the server has refused the request unprocessed, and how often it then was begun again here.
    private var refusals = 0
    private var restarts = 0
    /// What is known of the end of a body that the server did not announce, and of what came before a failure to send.
    var bodyEnd = BodyEnd()

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
        overrides = resolve
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
        setter.note(strata_set_log(easy, onLog, context))
        setter.note(strata_set_prereq(easy, beforeRequest, context))
        setter.note(strata_set_lookup(easy, beforeLookup, context))
        setter.note(strata_set_progress(easy, onProgress, context))
        if options.httpProxy.isHTTP || options.httpsProxy.isHTTP {
            setter.set(CURLOPT_PROXYHEADER, pointer: arena.proxyLines)
        }
        setter.set(CURLOPT_ERRORBUFFER, pointer: detail)
        setter.set(CURLOPT_PRIVATE, pointer: context)
        setupFailure = setter.failure
    }

    private var setupFailure = CURLE_OK
    /// The addresses of the configuration, in libcurl's form.
    private let overrides: UnsafeMutablePointer<curl_slist>?

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
            payload.withUnsafeBytes { fillArena(head, plan, payload: $0) }
        } else {
            fillArena(head, plan, payload: nil)
        }
        self.head.skipsInvalidFields = exchange.request.options.skipsInvalidFields
        guard arena.headSize + (payload?.count ?? 0) <= RequestPlan.maximumHead else {
            failure = NetworkClientError(
                .unsupportedByTransport, "libcurl sends no request whose head is larger than a megabyte")
            return CURLE_OUT_OF_MEMORY
        }
        var setter = OptionSetter(easy)
        setter.note(setupFailure)
        setter.set(CURLOPT_HTTPHEADER, pointer: arena.lines)
        settings.apply(exchange, arena, payloadSize: payload?.count, to: &setter)
        if isUploading { settings.beginWatch(easy) }
        return setter.failure
    }

    private func fillArena(_ head: HTTPRequest, _ plan: RequestPlan, payload: UnsafeRawBufferPointer?) {
        arena.fill(
            head, plan.extraLines, payload: payload, passesProxyAuthorization: settings.passesProxyAuthorization(head))
    }

    /// Hands the addresses that have been found to libcurl, for this exchange.
    func useAddresses(_ lines: [String]) {
        naming?.list = lines.reduce(into: overrides.map(Naming.copy) ?? nil) { list, line in
            if let longer = curl_slist_append(list, line) { list = longer }
        }
        _ = strata_set_pointer(easy, CURLOPT_RESOLVE, naming?.list)
    }

    /// Forgets the exchange; the handle is ready for the next.
    func end() {
        exchange?.upload?.close()
        exchange = nil
        stream = nil
        failure = nil
        startOver()
        connection = ConnectionUse()
        isListed = false
        settings.endLog(easy)
        settings.endWatch(easy)
        if let naming = naming.take() {
            _ = strata_set_pointer(easy, CURLOPT_RESOLVE, overrides)
            naming.free()
        }
        (refusals, restarts) = (0, 0)
    }

    /// Keeps the request from the connection that libcurl has chosen, before anything is written.
    func refuseConnection() {
        connection.refuse()
        // Otherwise the connection would stay open if it carries other exchanges.
        settings.forbidReuse(easy)
    }

    /// The exchange begins once more, on a connection of its own making. Nothing of it has been written to the one before.
    func startAfresh() {
        startOver()
        connection = ConnectionUse(count: connection.count)
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
        sending = Sending()
        bodyEnd = BodyEnd()
        (isReceivingPaused, received) = (false, 0)
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
            let count = min(target.count, data.count - sending.taken)
            guard count > 0 else { return .end }
            let start = data.startIndex + sending.taken
            data.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: target[..<count]), from: start..<(start + count))
            sending.took(count)
            return .bytes(count)
        }
        let reading = exchange.upload?.read(into: target) ?? .failed
        if case .bytes(let count) = reading { sending.took(count) }
        return reading
    }

    /// Whether the body is sent again from its beginning.
    func rewind() -> Bool {
        guard sending.taken > 0 else { return true }
        guard let exchange, exchange.plan.isReplayable else { return false }
        exchange.restartUpload()
        sending.rewind()
        return true
    }

    /// libcurl, about to send the request once more, asks for the body from its beginning.
    func rewindAgain() -> Bool {
        let isUnprocessed = isRefusedUnprocessed()
        if rewind() { return true }
        if isUnprocessed { failure = Self.refusal() }
        return false
    }

    // MARK: - Refusals

    /// How often a request is sent that the server refuses unprocessed, at most.
    private static let maximumRefusals = 6

    /// Whether the server has certainly not acted on the request: it named HTTP/1.1 as the way, or refused the stream, or named it
    /// as one beyond the last (RFC 9113 §8.7, §6.8). libcurl fails without a message then, and only then.
    ///
    /// - Parameter code: libcurl's; `nil` where it sends the request once more by itself.
    func isRefusedUnprocessed(_ code: CURLcode? = nil) -> Bool {
        guard connection.version == .http2, head.size == 0, received == 0, failure == nil else { return false }
        let text = String(cString: detail)
        if ["HTTP_1_1_REQUIRED", "REFUSED_STREAM", "Connection died, tried"].contains(where: { text.contains($0) }) {
            return true
        }
        // With this it goes over to HTTP/1.1, and with no other reason to send again.
        guard let code else { return text.isEmpty || text == "Empty reply from server" }
        return text.isEmpty && [CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2].contains(code)
    }

    func noteRefusal() { refusals += 1 }

    /// The exchange begins once more after a refusal that libcurl takes for a failure.
    func restart() {
        _ = rewind()
        noteRefusal()
        restarts += 1
        startAfresh()
        connection = ConnectionUse()
    }

    /// How often the request went out.
    private var uses: Int { connection.count + restarts }

    /// Whether the request may be sent once more.
    func mayBeRepeated(isUnprocessed: Bool) -> Bool {
        guard let exchange, exchange.waiter != nil else { return false }
        let isAllowed =
            isUnprocessed
            ? refusals < Self.maximumRefusals : exchange.plan.isIdempotent && uses - refusals == 2
        return isAllowed && (exchange.plan.isReplayable || sending.taken == 0)
    }

    /// Tells libcurl which directions go on.
    @discardableResult
    func applyPauses() -> CURLcode {
        let bits = (isReceivingPaused ? CURLPAUSE_RECV : 0) | (sending.isPaused ? CURLPAUSE_SEND : 0)
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

    /// Whether libcurl still has a connection for the exchange; none when it is over and not yet collected.
    var hasConnection: Bool { applyPauses() != CURLE_BAD_FUNCTION_ARGUMENT }

    // MARK: - Time

    /// When the transfer has to be looked at, at the latest; `nil` when nothing limits it.
    func nextCheck(now: UInt64) -> UInt64? {
        guard let exchange, let limits = settings.limits else { return nil }
        var idle = (isSilenceOurs ? now : lastActivity).saturatingAdd(limits.idle)
        // How much of the body libcurl has written is only known by asking from time to time.
        if exchange.plan.hasBody { idle = min(idle, now.saturatingAdd(limits.idle / 4)) }
        let next = min(exchange.deadline?.time ?? .max, connectLimit, idle, sending.nextCheck)
        return next == .max ? nil : next
    }

    /// libcurl's timer does not run while a transfer waits for one of a limited number of connections.
    private var connectLimit: UInt64 {
        connection.count > 0 ? .max : started.saturatingAdd(settings.limits?.connect ?? .max)
    }

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
            sending.putOffAnswer(now: now)
        }
        guard lastActivity.saturatingAdd(limits.idle) <= now else { return nil }
        return .timedOut(.idle, after: limits.timeouts.idle)
    }

    /// Whether nothing happens because the connection is still being made, which has a limit of its own, or because the
    /// caller holds the transfer back.
    var isSilenceOurs: Bool {
        connection.count == 0 || isReceivingPaused || (sending.isPaused && !head.isComplete)
    }

    /// Whether more of the request's body has been written: libcurl asks for it in large pieces, and writes these in
    /// small ones.
    private func hasWrittenMore() -> Bool {
        sending.note(written: size(CURLINFO_SIZE_UPLOAD_T))
    }

    // MARK: - The end of an upload

    /// Whether the server has gone, when that does not also end the response.
    var isAbandoned: Bool {
        // Unknown while receiving is paused: libcurl may have read bytes that it has not handed out.
        guard !isReceivingPaused, !head.isComplete || bodyLength != nil, connection.socket >= 0 else { return false }
        return StrataCurl.localPort(connection.socket) == connection.localPort && hasEnded(connection.socket)
    }

    /// Whether the last byte of the body is held from now on.
    func holdsLastByte(now: UInt64) -> Bool {
        exchange?.upload?.isHoldingLastByte == true && sending.holdLastByte(now: now)
    }

    /// Whether the last byte goes out now.
    func releasesLastByte(now: UInt64) -> Bool {
        guard sending.releasesLastByte(now: now), let upload = exchange?.upload, upload.isHoldingLastByte else {
            return false
        }
        upload.releaseLastByte()
        return true
    }

    /// Whether the body is at its beginning, over TLS on a connection of its own, where refusals are most likely to get lost.
    var isWarilySent: Bool {
        isUploading && sending.taken < 1 << 20 && exchange?.request.head.scheme == "https"
            && connection.version != .http2
    }

    /// Whether the request has a body that libcurl asks for piece by piece.
    var isUploading: Bool { exchange?.plan.sending.isPiecewise == true }

    /// Whether the answer is there in full while the request's body is on its way; true once.
    func isAnsweredEarly(now: UInt64) -> Bool {
        guard isUploading, isAnsweredInFull, sending.answerCame(now: now) else { return false }
        _ = hasWrittenMore()
        return true
    }

    /// Whether such an answer ends the exchange: the server has taken nothing for a while, though there was something
    /// to send.
    func isLeftWithItsAnswer(now: UInt64) -> Bool {
        guard sending.answerIsDue(now: now) else { return false }
        if !sending.isPaused, !isReceivingPaused, !hasWrittenMore() { return true }
        sending.putOffAnswer(now: now)
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

    /// Whether libcurl can drop what comes behind the answer, and say so in its log alone: where it reads on to see the
    /// body's end, and where there is no body.
    var mayDropWhatComesBehind: Bool { head.isHTTP1 && (bodyLength ?? 0) == 0 }

    /// libcurl says that it has dropped what came behind the answer, in one read with it. Nobody has asked for that, and
    /// the rest of it may come (RFC 9112 §9.2).
    func noteLog(_ text: UnsafeRawBufferPointer) {
        if text.starts(with: "Excess found".utf8) || text.starts(with: "Leftovers after chunking".utf8) {
            settings.forbidReuse(easy)
        }
    }

    /// Whether TLS has decrypted something of the connection that libcurl has not read.
    var hasDecrypted: Bool { strata_tls_pending(easy, TLSLibrary.pending) > 0 }

    /// How the connection was settled to speak, before its first request.
    func settledVersion() -> Connection.Version? {
        guard let plan = exchange?.plan else { return nil }
        let hasPriorKnowledge = plan.version == .http2PriorKnowledge
        guard exchange?.request.head.scheme == "https" else { return hasPriorKnowledge ? .http2 : .http1 }
        switch strata_tls_protocol(easy, TLSLibrary.selectedProtocol) {
        case 2: return .http2
        case 1: return .http1
        // Without ALPN libcurl goes by the knowledge of the caller.
        case 0: return hasPriorKnowledge ? .http2 : .http1
        default: return nil
        }
    }

    /// The error of a request that the server has not processed.
    static func refusal(cause: (any Error)? = nil) -> NetworkClientError {
        var error = NetworkClientError(
            .connectionLost, "the server refused the request without acting on it (RFC 9113 §8.7)", cause: cause)
        error.isUnprocessed = true
        return error
    }

    // MARK: - What libcurl knows

    /// Whether libcurl has a sentence about the failure.
    var hasDetail: Bool { detail.pointee != 0 }

    /// libcurl's verdict on the exchange, as an error of ours.
    func error(for code: CURLcode) -> any Error {
        if let failure { return failure }
        var error = NetworkClientError(
            code,
            FailureContext(
                detail: String(cString: detail), isSent: connection.count > 0,
                connectTimeout: exchange?.request.options.timeouts.connect, proxy: settings.proxy))
        // Every time that it went out.
        if isRefusedUnprocessed(code), refusals == uses - 1 { error = Self.refusal(cause: error.cause) }
        return error
    }
}
