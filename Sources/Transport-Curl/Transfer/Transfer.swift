// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import HTTPTypes
import StrataCore
import StrataTransportSupport

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
    private let strings = RequestStrings()
    let detail: UnsafeMutablePointer<CChar>

    // The exchange under way.
    private(set) var exchange: Exchange?
    // Exclusive access is not checked at run time, because that costs more than parsing a line of a head. Both are
    // changed in one place at a time.
    @exclusivity(unchecked) var head: HeadParser
    @exclusivity(unchecked) var buffer: BodyBuffer
    var stream: ResponseStream?
    /// An error of the engine's own, which says more than libcurl's.
    var failure: (any Error)?
    var lastActivity: UInt64 = 0
    private var started: UInt64 = 0
    var isListed = false
    var sending = Sending()
    var receiving = Receiving()
    var connection = ConnectionUse()
    /// The names that the connection needs, once libcurl has asked for one.
    var naming: Naming?
    var repeats = Repeats()

    @exclusivity(unchecked) var settings: RequestSettings
    @exclusivity(unchecked) var lastField: LastField?

    init?(
        slot: Int, engine: LoopEngine, options: HandleOptions, memory: LoopMemory
    ) {
        guard let easy = curl_easy_init() else { return nil }
        guard let settings = RequestSettings(options) else {
            curl_easy_cleanup(easy)
            return nil
        }
        self.easy = easy
        self.settings = settings
        lastField = memory.lastField()
        overrides = memory.overrides
        self.slot = slot
        self.engine = Unmanaged.passUnretained(engine)
        detail = .allocate(capacity: Int(CURL_ERROR_SIZE))
        detail.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        head = HeadParser(limit: options.configuration.maximumHeadBytes, memory: memory.fields)
        buffer = BodyBuffer(pool: memory.pool)
        // Unretained: this object ends its handle when it goes, and libcurl makes no call for a handle that has ended.
        let context = Unmanaged.passUnretained(self).toOpaque()
        var setter = OptionSetter(easy)
        setter.apply(options, resolve: overrides)
        setter.note(strata_set_receiving(easy, receiveHead, receiveBody, context))
        setter.note(strata_set_sending(easy, sendBody, rewindBody, context))
        setter.note(strata_set_opening(easy, onSocketOpened, context))
        setter.note(strata_set_closing(easy, closeConnection, Unmanaged.passUnretained(engine).toOpaque()))
        setter.note(strata_set_log(easy, onLog, context))
        setter.note(strata_set_prereq(easy, beforeRequest, context))
        setter.note(strata_set_lookup(easy, beforeLookup, context))
        setter.note(strata_set_progress(easy, onProgress, context))
        if options.proxies.haveHTTP {
            setter.set(CURLOPT_PROXYHEADER, pointer: strings.proxyLines)
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
            payload.withUnsafeBytes { fillStrings(head, plan, payload: $0) }
        } else {
            fillStrings(head, plan, payload: nil)
        }
        self.head.skipsInvalidFields = exchange.request.options.skipsInvalidFields
        self.head.keepsInterim = exchange.request.options.onInterim != nil
        guard strings.headSize + (payload?.count ?? 0) <= RequestPlan.maximumHead else {
            failure = NetworkClientError(
                .unsupportedByTransport, "libcurl sends no request whose head is larger than a megabyte")
            return CURLE_OUT_OF_MEMORY
        }
        var setter = OptionSetter(easy)
        setter.note(setupFailure)
        setter.set(CURLOPT_HTTPHEADER, pointer: strings.lines)
        settings.apply(exchange, strings, payloadSize: payload?.count, to: &setter)
        if isUploading { settings.beginWatch(easy) }
        return setter.failure
    }

    private func fillStrings(_ head: HTTPRequest, _ plan: RequestPlan, payload: UnsafeRawBufferPointer?) {
        strings.fill(
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
        repeats = Repeats()
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
        (sending, receiving) = (Sending(), Receiving())
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
    var isAnsweredInFull: Bool { head.isComplete && receiving.count == bodyLength }

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

    // MARK: - Pauses

    /// Tells libcurl which directions go on.
    @discardableResult
    func applyPauses() -> CURLcode {
        let bits =
            (receiving.isHeldBack ? CURLPAUSE_RECV : 0) | (sending.isPaused ? CURLPAUSE_SEND : 0)
        return curl_easy_pause(easy, bits)
    }

    /// Has libcurl forget the bytes that it keeps while receiving is paused. Over HTTP/2 an old version (7.88) would
    /// hand them out to the handle's next exchange, and would not free them with the handle.
    ///
    /// - Returns: whether it has; not when the transfer has failed and is not yet collected.
    func dropWhatIsKept() -> Bool {
        guard receiving.isHeldBack else { return true }
        receiving.release()
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
        let next = min(
            exchange.deadline?.time ?? .max, connectLimit, idle, sending.nextCheck, nextTunnelCheck(now: now))
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
        if let refusal = refusalOfTunnel(now: now) { return refusal }
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
        connection.count == 0 || receiving.isPaused || (sending.isPaused && !head.isComplete)
    }

    /// Whether more of the request's body has been written: libcurl asks for it in large pieces, and writes these in
    /// small ones.
    func hasWrittenMore() -> Bool {
        sending.note(written: size(CURLINFO_SIZE_UPLOAD_T))
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
        if isRefusedUnprocessed(code), repeats.refusals == uses - 1 { error = Self.refusal(cause: error.cause) }
        return error
    }
}
