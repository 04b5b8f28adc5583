// SPDX-License-Identifier: Apache-2.0

import CStrataNGHTTP2
import HTTPTypes
import StrataCore
import StrataTransportSupport

/// The client's side of one connection over HTTP/2 (RFC 9113): bytes in, bytes out. It knows no I/O and no time but what it is told.
///
/// nghttp2 reads and writes frames and compresses fields. What comes of them is here: streams, how far their windows are open,
/// and what is too much. Whoever has a session hands in what was received, looks at the streams of ``nextTouched()``, and sends what
/// ``produce(atMost:)`` leaves in ``outgoing``. Used by one thread at a time.
final class HTTP2Session {
    struct Limits {
        /// The bytes of a response's head, interim heads and trailers included.
        var head = 256 * 1024
        /// How many interim responses come before the final one, at most.
        var interimResponses = 1000
        /// How much may come of a body before something of it is read: at first, and when its reader keeps up.
        var streamWindow = 256 * 1024
        var largestStreamWindow = 4 << 20
        /// How much may be on its way in all.
        var connectionWindow = 8 << 20
        /// Bytes of all bodies that may wait for their readers without holding up the others. Above that the connection takes no further
        /// streams, and what is on its way is all that comes until something is read.
        var unread = 26 << 20
        /// Streams at one time before the server has said how many there may be.
        var streamsAtFirst = 100
    }

    let limits: Limits
    private let fields: FieldMemory
    private(set) var codec: OpaquePointer?
    /// By number. nghttp2 has them, too, unretained.
    var streams: [Int32: ClientStream] = [:]
    /// Those that wait for the server's settings.
    var held: [HeldStream] = []
    /// The one that was looked up last.
    private var current: ClientStream?
    /// Streams that something has happened to, and how many of them have been looked at.
    private var touched: [ClientStream] = []
    private var seen = 0
    /// How many streams somebody waits for.
    var live = 0
    /// How many have begun.
    private(set) var begun = 0
    /// How many have been left before they had ended.
    private(set) var resets = 0
    private var requestFields = HTTP2Fields()

    /// Frames to be sent.
    private(set) var outgoing = ByteBuffer(capacity: 4096)
    /// How much of it there is to be at most, while it is made.
    var room = 0

    // What the server has said of the connection.
    var hasSettings = false
    /// Whether it takes no further streams, or nghttp2 does not.
    var isGoingAway = false
    /// Why, when the server has said that something is wrong.
    var goAwayCode: HTTP2Code?
    /// Why it has ended.
    var failure: NetworkClientError?
    /// Streams may be had that could not before.
    var hasMoreRoom = false
    /// Whether it has answered a PING since that was sent.
    var isPingAnswered = true

    var flood = HTTP2FloodGuard()
    /// The time of what is being received, in nanoseconds.
    var now: UInt64 = 0
    /// Whether a head has begun and not ended, and how many bytes have come since.
    var isInHead = false
    /// Whether one was among what was received last.
    var hadHead = false
    private var headBytes = 0
    /// Bytes that have come beside the frames that nghttp2 tells of: those of unknown kinds, and of streams that were left.
    var untold = 0
    /// How much of that may have been on its way for streams that were left.
    private var dropped = 0
    /// Where lines of heads are put together.
    var line = ByteBuffer(capacity: 1024)

    // Bytes of bodies.
    private var unread = 0
    /// Those of them that the peer may not yet replace by others.
    private var debt = 0
    /// By how much the windows of streams have grown, in all.
    private var growth = 0

    init(_ limits: Limits = Limits(), fields: FieldMemory) throws(NetworkClientError) {
        self.limits = limits
        self.fields = fields
        guard let callbacks = Self.callbacks, let codec = makeCodec(callbacks) else {
            throw NetworkClientError(.internalFailure, "nghttp2 cannot be initialised")
        }
        self.codec = codec
    }

    deinit { if let codec { nghttp2_session_del(codec) } }

    private func makeCodec(_ callbacks: OpaquePointer) -> OpaquePointer? {
        var option: OpaquePointer?
        guard nghttp2_option_new(&option) == 0 else { return nil }
        defer { nghttp2_option_del(option) }
        nghttp2_option_set_no_auto_window_update(option, 1)
        nghttp2_option_set_no_closed_streams(option, 1)
        nghttp2_option_set_peer_max_concurrent_streams(option, UInt32(limits.streamsAtFirst))
        nghttp2_option_set_max_send_header_block_length(option, 1 << 20)
        strata_nghttp2_leave_continuations(option)
        var codec: OpaquePointer?
        let own = Unmanaged.passUnretained(self).toOpaque()
        guard nghttp2_session_client_new2(&codec, callbacks, own, option) == 0 else { return nil }
        let settings = [
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: UInt32(limits.streamWindow)),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(clamping: limits.head)),
        ]
        let isReady =
            nghttp2_submit_settings(codec, 0, settings, settings.count) == 0
            && nghttp2_session_set_local_window_size(codec, 0, 0, Int32(limits.connectionWindow)) == 0
        if !isReady { nghttp2_session_del(codec) }
        return isReady ? codec : nil
    }

    // MARK: - Streams

    /// How many streams there may be at one time.
    var streamLimit: Int {
        Int(nghttp2_session_get_remote_settings(codec, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    /// Whether a stream may begin.
    var hasRoom: Bool {
        !isGoingAway && failure == nil && live < streamLimit && unread <= limits.unread && begun < Self.lastBeginning
            && resets < Self.mostResets
    }

    /// Whether no further stream is to begin when the last has ended: its peer has not said that it has read what was sent before, so that
    /// there is hardly a window for a further body, which without streams nothing may open again; or it has been sent many resets.
    var isExhausted: Bool {
        nghttp2_session_get_remote_window_size(codec) < 16 * 1024 || resets >= Self.mostResets
    }

    /// Numbers of streams come to an end (§5.1.1).
    private static let lastBeginning = 1 << 29

    /// Servers take many resets for an attack, and end the connection with the streams of all other calls: SwiftNIO after 200 within 30
    /// seconds, others later.
    static let mostResets = 100

    /// Begins a stream with a request.
    ///
    /// - Parameters:
    ///   - length: of the body, when there is one and it is known.
    ///   - hasBody: whether ``ClientStream/output`` is to be sent behind the head.
    ///   - upgrade: the protocol in which the stream is to go on, with ``ClientStream/output`` (RFC 8441). It begins when the server's
    ///     settings have come, if these take it.
    /// - Throws: `invalidRequest`; nothing has begun then.
    func begin(
        _ head: HTTPRequest, length: Int64?, hasBody: Bool, upgrade: String? = nil, acceptEncoding: String?,
        skipsInvalidFields: Bool, receiver: any HTTP2Receiver
    ) throws(NetworkClientError) -> ClientStream {
        try requestFields.take(head, length: length, upgrade: upgrade, acceptEncoding: acceptEncoding)
        var parser = HeadParser(limit: limits.head, memory: fields)
        (parser.keepsInterim, parser.skipsInvalidFields) = (true, skipsInvalidFields)
        let stream = ClientStream(
            upgrade: upgrade, receiver: receiver, parser: parser, window: limits.streamWindow)
        stream.isOutputOver = !hasBody && upgrade == nil
        if upgrade == nil || hasSettings && takesUpgrades {
            try submit(stream)
        } else {
            hold(HeldStream(stream: stream, head: head, acceptEncoding: acceptEncoding))
        }
        live += 1
        return stream
    }

    /// Hands a request to nghttp2 whose fields have been taken.
    private func submit(_ stream: ClientStream) throws(NetworkClientError) {
        let id = requestFields.withPairs { pairs, count in
            var provider = nghttp2_data_provider()
            provider.read_callback = Self.readOutput
            return withUnsafePointer(to: &provider) {
                nghttp2_submit_request(codec, nil, pairs, count, stream.isOutputOver ? nil : $0, nil)
            }
        }
        guard id > 0 else {
            throw NetworkClientError(.internalFailure, "nghttp2 begins no stream: \(Self.text(of: id))")
        }
        stream.id = id
        streams[id] = stream
        current = stream
        begun += 1
    }

    /// Begins a stream that was held.
    func submit(_ held: HeldStream) throws(NetworkClientError) {
        try requestFields.take(
            held.head, length: nil, upgrade: held.stream.upgrade, acceptEncoding: held.acceptEncoding)
        try submit(held.stream)
    }

    func stream(_ id: Int32) -> ClientStream? {
        if let current, current.id == id { return current }
        let stream = streams[id]
        if stream != nil { current = stream }
        return stream
    }

    func touch(_ stream: ClientStream) {
        guard !stream.isTouched else { return }
        stream.isTouched = true
        touched.append(stream)
    }

    /// The next stream that something has happened to; `nil` when there is none.
    func nextTouched() -> ClientStream? {
        guard seen < touched.count else {
            touched.removeAll(keepingCapacity: true)
            seen = 0
            return nil
        }
        defer { seen += 1 }
        touched[seen].isTouched = false
        return touched[seen]
    }

    /// More of a body is in the stream's output, or all of it.
    func resume(_ stream: ClientStream) {
        guard stream.isDeferred, !stream.isClosed else { return }
        stream.isDeferred = false
        nghttp2_session_resume_data(codec, stream.id)
    }

    /// Nobody waits for a stream any more; what is left of it is dropped.
    ///
    /// - Parameter code: told to the peer, unless the stream has ended.
    func leave(_ stream: ClientStream, _ code: HTTP2Code) {
        guard stream.receiver != nil else { return }
        stream.receiver = nil
        live -= 1
        hasMoreRoom = true
        noteRead(stream.unread, of: stream)
        growth -= stream.window - limits.streamWindow
        stream.output.removeAll()
        if stream.id == 0 { held.removeAll { $0.stream === stream } }
        guard !stream.isClosed, stream.id != 0 else { return }
        nghttp2_submit_rst_stream(codec, 0, stream.id, code.rawValue)
        resets += 1
        dropped += 2 * stream.window
    }

    /// A stream is over.
    func close(_ stream: ClientStream, _ end: ClientStream.End) {
        guard !stream.isClosed else { return }
        stream.isClosed = true
        stream.end = stream.isEnded ? .whole : end
        streams[stream.id] = nil
        if current === stream { current = nil }
        touch(stream)
    }

    // MARK: - Windows (§5.2)

    /// Bytes of a body have come. The window of the connection opens again at once, so that who does not read holds up nobody.
    func noteReceived(_ count: Int, of stream: ClientStream) {
        stream.unread += count
        unread += count
        if unread <= limits.unread { nghttp2_session_consume_connection(codec, count) } else { debt += count }
    }

    /// Somebody has read bytes of a body, or dropped them.
    func noteRead(_ count: Int, of stream: ClientStream) {
        let count = min(count, stream.unread)
        guard count > 0 else { return }
        stream.unread -= count
        unread -= count
        if unread <= limits.unread { hasMoreRoom = true }
        let paid = min(debt, count)
        if paid > 0 {
            debt -= paid
            nghttp2_session_consume_connection(codec, paid)
        }
        guard !stream.isClosed, !stream.isEnded else { return }
        nghttp2_session_consume_stream(codec, stream.id, count)
        if stream.receiver != nil, stream.unread == 0, count * 2 >= stream.window { widen(stream) }
    }

    /// The reader keeps up with what comes: more may be under way.
    private func widen(_ stream: ClientStream) {
        let larger = min(stream.window * 2, limits.largestStreamWindow)
        guard larger > stream.window, growth + larger - stream.window <= limits.connectionWindow else { return }
        guard nghttp2_session_set_local_window_size(codec, 0, stream.id, Int32(larger)) == 0 else { return }
        growth += larger - stream.window
        stream.window = larger
    }

    // MARK: - Bytes

    /// Takes what has come. What that means is in the touched streams, ``failure`` and the others then.
    func receive(_ bytes: UnsafeRawBufferPointer, now: UInt64) {
        guard failure == nil, !bytes.isEmpty else { return }
        self.now = now
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = nghttp2_session_mem_recv(codec, start, bytes.count)
        if result < 0 { fail(result) }
        if hasSettings, !held.isEmpty { beginHeld() }
        headBytes = isInHead ? headBytes + bytes.count : 0
        if headBytes > 2 * limits.head + (128 << 10) { fail(flood: .continuation) }
        judgeUntold(bytes.count)
    }

    /// Counts what nghttp2 does not tell of, a kilobyte like a frame. A part of a frame may be among it whose rest is to come.
    private func judgeUntold(_ count: Int) {
        untold += count
        // The frames in which a head goes on are limited with it.
        if isInHead || hadHead { untold = min(untold, 0) }
        hadHead = isInHead
        let forgiven = min(dropped, max(0, untold))
        (untold, dropped) = (untold - forgiven, dropped - forgiven)
        while untold > 32 * 1024, failure == nil {
            untold -= 1024
            if let kind = flood.note(.unknown, now: now) { fail(flood: kind) }
        }
    }

    /// Fills ``outgoing`` with frames, up to so many bytes or a little more.
    func produce(atMost count: Int) {
        room = count
        while outgoing.count < count {
            var start: UnsafePointer<UInt8>?
            let result = nghttp2_session_mem_send(codec, &start)
            guard result > 0 else {
                if result < 0 { fail(result) }
                return
            }
            outgoing.append(UnsafeRawBufferPointer(start: start, count: result))
        }
    }

    func append(_ bytes: UnsafeRawBufferPointer) { outgoing.append(bytes) }

    /// What was produced has been sent, or is kept elsewhere.
    func removeOutgoing() { outgoing.removeAll() }

    /// Gives memory back that is of use while much is sent.
    func shrink() { outgoing.removeAll(keeping: 4096) }

    /// Whether the trailers of a request are all right; they are sent when its body has been.
    func endOutput(of stream: ClientStream, trailers: HTTPFields) throws(NetworkClientError) {
        try RequestWriter.check(trailers: trailers)
        if !trailers.isEmpty { stream.outputTrailers = trailers }
        endOutput(of: stream)
    }

    /// Nothing more is sent behind what is in the stream's output.
    func endOutput(of stream: ClientStream) {
        stream.isOutputEnded = true
        resume(stream)
    }

    func submitTrailers(of stream: ClientStream) -> Bool {
        guard let trailers = stream.outputTrailers.take() else { return false }
        do throws(NetworkClientError) { try requestFields.take(trailers: trailers) } catch { return false }
        return requestFields.withPairs { nghttp2_submit_trailer(codec, stream.id, $0, $1) } == 0
    }
}

extension NetworkClientError {
    /// What has come on a connection is no HTTP/2.
    static func broken(_ detail: String) -> NetworkClientError {
        NetworkClientError(.protocolViolation, "the server broke the rules of HTTP/2: \(detail)")
    }
}
