// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One call on its way through the loop: what to send, who waits, and what has come.
final class Exchange: TimerOwner, @unchecked Sendable {
    // Unchecked: the constants are Sendable; the variables are touched under the loop's lock alone, but for the response, which
    // is the task's when that has been resumed.
    enum Phase {
        /// The loop has not seen it.
        case new
        /// It has no connection yet.
        case waiting
        /// It has a connection.
        case active
        case over
    }

    let request: TransportRequest
    let plan: RequestPlan
    /// Those of its own; `nil` for those of the transport.
    let proxies: Proxies?
    let loop: NativeLoop
    /// When it began, in nanoseconds, as are all times.
    let started = MonotonicClock.now
    /// When it has to be over, and which limit says so.
    let deadline: (time: UInt64, kind: Timeouts.Kind)?

    var phase = Phase.new
    var isCancelled = false
    var slot = -1

    // Before it has a connection.
    var pool: OriginPool?
    /// What makes a connection for it.
    var connector: Connector?
    /// Whether it must not have a connection that was used before.
    var needsNewConnection = false
    var isRepeated = false
    /// What it has shown to a proxy that reads requests, and how often that has refused it.
    var proxyAnswer: ProxyLogin.Answer?
    var proxyRefusals = 0
    /// How often the server has refused it without acting on it.
    var refusals = 0
    /// In the order of arrival, over all origins.
    var number: UInt64 = 0
    var isQueued = false
    var previous: Exchange?
    var next: Exchange?

    // While it has one.
    var connection: Connection?
    /// Its part of the connection, when that carries many exchanges.
    var stream: ClientStream?
    var upload: Upload?
    var lastActivity: UInt64 = 0
    /// When an answer in full ends the exchange although the body is still on its way.
    var answerStandsAt = UInt64.max
    var backlog = Backlog()
    /// Bytes of the request's body that have been handed to the connection.
    var sent: Int64 = 0
    /// Whether the rest of the body is not sent, because the server does not want it.
    var isCutShort = false
    /// Until when the body is held back for the server's consent; at the end of time when it is not.
    var consentEnd = UInt64.max
    /// Whether the server has refused to be asked for its consent.
    var omitsExpect = false

    // What has come.
    private var caller: Waiter<Void>?
    private(set) var response: TransportResponse?
    /// Publishes it to the task. Resuming the task does so too, but ThreadSanitizer does not see it when the task is
    /// resumed before it waits.
    private let hasResponse = Atomic(false)
    var head: HTTPResponse?
    var isContentEncoded = false
    /// The length of the body, when it is announced.
    var bodyLength: Int64?
    /// Bytes of the body that have come, before they are decoded.
    var received: Int64 = 0
    @exclusivity(unchecked) var buffer: BodyBuffer
    /// Whether the answer is there in full.
    var isAnswered = false
    var trailers: HTTPFields?
    /// Interim answers that the caller has not seen.
    var interims: [HTTPResponse] = []
    /// Whether the server has switched protocols: what comes and goes is no HTTP any more.
    var isSwitched = false
    /// Whether nothing more comes, or goes, after that.
    var isInputOver = false
    var isOutputOver = false
    /// Who waits until all bytes have gone, after that.
    private var writer: UnsafeContinuation<Void, any Error>?
    /// How the body ended.
    var end: Result<Void, any Error>?
    private var reader: Waiter<Data?>?
    /// Whether the reader has enough for now.
    var isPaused = false

    @exclusivity(unchecked) var times = Times()
    var finalMetrics: TransportMetrics?

    /// When things happened.
    struct Times {
        var isConnectionReused = false
        var nameLookup, connected, secured, firstByte: UInt64?
    }

    init(_ request: TransportRequest, plan: RequestPlan, proxies: Proxies?, upload: Upload?, loop: NativeLoop) {
        self.plan = plan
        self.proxies = proxies
        self.upload = upload
        self.loop = loop
        buffer = BodyBuffer(pool: loop.segments)
        let started = started
        deadline = request.timeLimit.map { limit, kind in
            (started.saturatingAdd(UInt64(nanosecondsOf: limit)), kind)
        }
        // Last, so that it is moved and not copied.
        self.request = request
    }

    // MARK: - Who waits

    var hasCaller: Bool { caller != nil }
    var hasReader: Bool { reader != nil }
    var hasWriter: Bool { writer != nil }

    func wait(_ caller: Waiter<Void>) { self.caller = caller }
    func takeCaller() -> Waiter<Void>? { caller.take() }
    func wait(_ reader: Waiter<Data?>) { self.reader = reader }
    func takeReader() -> Waiter<Data?>? { reader.take() }
    func wait(_ writer: UnsafeContinuation<Void, any Error>) { self.writer = writer }
    func takeWriter() -> UnsafeContinuation<Void, any Error>? { writer.take() }

    /// Ends the call, wherever it is.
    func cancel() { loop.core.ask(.cancel(self)) }

    // MARK: - Time

    func timeIsUp(_ engine: Engine) { engine.checkTime(of: self) }

    /// When it has to be looked at, at the latest.
    func nextCheck(now: UInt64) -> UInt64 {
        let end = deadline?.time ?? .max
        switch phase {
        case .new, .over: return .max
        case .waiting: return min(end, connectEnd)
        case .active:
            let silenceEnd = (isSilenceOurs ? now : lastActivity).saturatingAdd(plan.idleLimit)
            return min(end, silenceEnd, nextBacklogLook, upload?.heldUntil ?? .max, answerStandsAt, consentEnd)
        }
    }

    /// When it is looked at what the system still has of the request: never for small ones, nor over HTTP/2, where it may be another's.
    var nextBacklogLook: UInt64 {
        guard sent >= Backlog.leastSent, !isAnswered, !isSwitched, stream == nil else { return .max }
        return backlog.nextLook(since: lastActivity, idleLimit: plan.idleLimit)
    }

    var connectEnd: UInt64 { started.saturatingAdd(plan.connectLimit) }

    /// Whether the peer has nothing to do: the reader of the answer holds it back, or the body's producer has nothing yet.
    var isSilenceOurs: Bool {
        if isPaused || stream?.isHeldByReader == true { return true }
        if isSwitched { return !hasReader && !hasWriter }
        guard let upload, !upload.isEnded, !upload.isClosed else { return false }
        return unsent == 0 && !isAnswered
    }

    /// Whether the body was held back for the server's consent, so that its source is as it was.
    var isBodyUntouched: Bool { sent == 0 && (omitsExpect || consentEnd != .max) }

    /// Bytes of the request that wait until they can be sent.
    var unsent: Int { stream?.output.count ?? connection?.output.count ?? 0 }

    /// Whether something of the request is still to be sent.
    var isSending: Bool {
        if isCutShort || stream?.isClosed == true { return false }
        if consentEnd != .max { return true }
        if let upload, !upload.isEnded, !upload.isClosed { return true }
        if let stream { return !stream.isOutputOver }
        return connection?.output.isEmpty == false
    }

    // MARK: - The answer

    /// Leaves the answer for the call, once.
    func answer(_ response: TransportResponse) {
        self.response = response
        hasResponse.store(true, ordering: .releasing)
    }

    func metrics(now: UInt64) -> TransportMetrics {
        var metrics = TransportMetrics()
        metrics.httpVersion =
            stream != nil ? "HTTP/2" : connection?.reader.head.isHTTP10 == true ? "HTTP/1.0" : "HTTP/1.1"
        metrics.isConnectionReused = times.isConnectionReused
        metrics.remoteAddress = connection?.remoteAddress
        metrics.bytesSent = max(0, sent - Int64(unsent))
        metrics.encodedBytesReceived = received
        let skipped = stream?.parser.skippedLines ?? connection?.reader.skippedLines
        if let skipped, skipped > 0 { metrics.skippedFieldLines = skipped }
        metrics.nameLookup = duration(until: times.nameLookup)
        metrics.connected = duration(until: times.connected)
        metrics.secured = duration(until: times.secured)
        metrics.firstByte = duration(until: times.firstByte)
        metrics.total = duration(until: now)
        return metrics
    }

    private func duration(until time: UInt64?) -> Duration? {
        time.map { .nanoseconds(Int64(clamping: $0 - min($0, started))) }
    }

    /// The answer, its content decoded when that is wanted, and its body held to the limit. For the call alone, when it
    /// has been resumed.
    func takeResponse() throws -> TransportResponse {
        guard hasResponse.load(ordering: .acquiring), var response = response.take() else {
            throw NetworkClientError(.internalFailure, "the call was resumed without an answer")
        }
        if isSwitched {
            let metrics = response.metrics
            response = try TransportResponse(switching: response.head, to: SwitchedConnection(self), for: request)
            response.metrics = metrics
            return response
        }
        return response.prepared(for: request.options, decodesContent: plan.decodesContent && isContentEncoded)
    }
}

extension Exchange: HTTP2Receiver {
    func take(_ bytes: UnsafeRawBufferPointer, length: Int64?) {
        received += Int64(bytes.count)
        buffer.append(bytes, expected: length)
    }
}
