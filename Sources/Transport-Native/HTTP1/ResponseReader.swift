// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

/// Reads the responses of one connection, one after the other (RFC 9112). It knows no I/O.
///
/// The engine hands in what it has received and acts on the event, until it is told that more is needed. The reader keeps
/// what it needs of bytes that it has consumed, so that a buffer is free when all of it is.
///
///     while true {
///         let step = try reader.read(rest)
///         rest = UnsafeRawBufferPointer(rebasing: rest[step.consumed...])
///         switch step.event { … }
///     }
///
/// Lines of a head may end with LF alone (RFC 9112 §2.2), those of chunks not: where a chunk ends is no matter of taste.
struct ResponseReader: ~Copyable {
    struct Limits {
        /// The bytes of a response's head, interim heads and trailers included.
        var head = 256 * 1024
        /// The bytes of the line with a chunk's size and extensions.
        var chunkLine = 4096
        /// The bytes that such lines may have, over a whole body, beyond what they need (RFC 9112 §7.1.1).
        var chunkOverhead = 16 * 1024
        /// How many interim responses come before the final one, at most.
        var interimResponses = 1000
    }

    /// How the body's end is known (RFC 9112 §6.3).
    enum BodyLength: Equatable {
        /// There is none, whatever the fields say.
        case none
        case exactly(Int64)
        case chunked
        case untilClose
        /// From here on the connection speaks another protocol (RFC 9110 §7.8, §9.3.6).
        case switched
    }

    enum Event {
        case needsMore
        case interim(HTTPResponse)
        case head(HTTPResponse, BodyLength)
        /// Which bytes of the input are content.
        case body(Range<Int>)
        /// The fields behind the body have any names: Core leaves out those that must not be there.
        case end(trailers: HTTPFields)
    }

    struct Step {
        /// How many bytes of the input are done with.
        var consumed: Int
        var event: Event
    }

    enum Phase: Equatable {
        case head
        case body(left: Int64)
        case chunkSize
        case chunk(left: Int64)
        case chunkEnd(hasCR: Bool)
        case trailers
        case untilClose
        /// Everything has come; the end is still to be told.
        case complete
        /// Nothing that comes is a part of this response.
        case over
    }

    private(set) var phase = Phase.head
    /// Of the response whose head has come; without an answer it stands for none.
    private(set) var head = ResponseHead.none
    /// Lines that are no fields and were left out.
    private(set) var skippedLines = 0

    private let limits: Limits
    private var parser: HeadParser
    private var memory = LastHead()
    private var method: HTTPMethod
    private var upgrade: String?
    /// A line that has begun, in other bytes than those at hand.
    private var line = LineBuffer()
    private var isParserUsed = false
    private var interimCount = 0
    private var length: Int64 = 0
    private var overhead = 0
    private var keeps = false

    /// - Parameters:
    ///   - upgrade: the protocol that the request asks for. Only then 101 is an answer.
    ///   - fields: shared by the readers of a loop, and used by its thread alone.
    init(
        method: HTTPMethod, limits: Limits = Limits(), skipsInvalidFields: Bool = false, upgrade: String? = nil,
        fields: FieldMemory
    ) {
        self.limits = limits
        self.method = method
        parser = HeadParser(limit: limits.head, memory: fields)
        (parser.mayBeHTTP2, parser.keepsInterim) = (false, true)
        begin(method: method, skipsInvalidFields: skipsInvalidFields, upgrade: upgrade)
    }

    /// Ready for the next response of the connection. What is remembered of the last head stays.
    mutating func begin(method: HTTPMethod, skipsInvalidFields: Bool = false, upgrade: String? = nil) {
        self.method = method
        self.upgrade = upgrade
        if isParserUsed { parser.reset() }
        isParserUsed = false
        parser.skipsInvalidFields = skipsInvalidFields
        parser.mayBeUpgraded = upgrade != nil
        phase = .head
        line.removeAll()
        (skippedLines, interimCount, length, overhead, keeps) = (0, 0, 0, 0, false)
        head = .none
    }

    /// Whether nothing of an answer has come.
    var isAtStart: Bool { phase == .head && parser.isAtStart && parser.size == 0 && line.isEmpty }

    /// Whether there is a head that need not be parsed when it comes again.
    var remembersAHead: Bool { memory.isFull }

    /// Whether the connection can carry another exchange when this one is over (RFC 9112 §9.3).
    var keepsConnection: Bool { keeps }

    /// How many bytes of content come at least before anything else: the engine may read so many straight to where they go,
    /// and say so by ``consumed(_:)``.
    var contentLeft: Int64 {
        switch phase {
        case .body(let left), .chunk(let left): left
        default: 0
        }
    }

    /// Takes the next thing off the front of what has come.
    ///
    /// - Throws: `protocolViolation`. The connection is of no more use then.
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws(NetworkClientError) -> Step {
        var offset = 0
        while true {
            switch phase {
            case .head:
                if let event = try readHead(bytes, &offset) { return Step(consumed: offset, event: event) }
            case .body(let left):
                if let event = readContent(bytes, &offset, left) { return Step(consumed: offset, event: event) }
            case .chunk(let left):
                if let event = readContent(bytes, &offset, left) { return Step(consumed: offset, event: event) }
            case .untilClose:
                if let event = readContent(bytes, &offset, .max) { return Step(consumed: offset, event: event) }
            case .chunkSize:
                try readChunkSize(bytes, &offset)
            case .chunkEnd(let hasCR):
                try readChunkEnd(bytes, &offset, hasCR)
            case .trailers:
                try readTrailers(bytes, &offset)
            case .complete:
                phase = .over
                return Step(consumed: offset, event: .end(trailers: isParserUsed ? parser.trailers ?? [:] : [:]))
            case .over:
                return Step(consumed: offset, event: .needsMore)
            }
            if offset == bytes.count, phase != .complete { return Step(consumed: offset, event: .needsMore) }
        }
    }

    /// Content that the engine has put where it belongs by itself.
    ///
    /// - Parameter count: at most ``contentLeft``.
    mutating func consumed(_ count: Int) {
        switch phase {
        case .body(let left): take(count, of: left)
        case .chunk(let left): take(count, of: left)
        default: break
        }
    }

    /// The connection has ended.
    ///
    /// - Parameter isCutOff: whether somebody else than the server may have ended it: TLS without `close_notify` (RFC 9112
    ///   §9.8).
    /// - Throws: `connectionLost` when something is missing.
    mutating func finish(isCutOff: Bool = false) throws(NetworkClientError) {
        let place: String
        switch phase {
        case .complete, .over: return
        case .untilClose where !isCutOff:
            phase = .complete
            return
        case .untilClose:
            throw NetworkClientError(
                .connectionLost, "the connection ended without close_notify: the body may have been cut short")
        case .head where isAtStart: place = "before an answer came"
        case .head: place = "before the response's head was complete"
        case .body(let left): place = "in the response's body, after \(length - left) of \(length) bytes"
        case .chunkSize, .chunkEnd: place = "in the response's body, before its last chunk"
        case .chunk(let left): place = "in the response's body, \(left) bytes before the end of a chunk"
        case .trailers: place = "in the response's trailers"
        }
        throw NetworkClientError(.connectionLost, "the connection ended \(place)")
    }
}

// MARK: - The head (RFC 9112 §4, §5)

extension ResponseReader {
    private mutating func readHead(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) throws(NetworkClientError) -> Event? {
        let start = offset
        let isWhole = isAtStart
        if isWhole, let known = memory.head(startingWith: UnsafeRawBufferPointer(rebasing: bytes[offset...])) {
            offset += known.size
            if known.isChunked {
                // The trailers are the parser's, and count with the head against the limit.
                parser.skipHead(known.size)
                isParserUsed = true
            }
            return try ended(known)
        }
        isParserUsed = true
        while let line = nextLine(bytes, &offset) {
            switch parser.feed(line) {
            case .more: continue
            case .interim(let response):
                interimCount += 1
                guard interimCount <= limits.interimResponses else {
                    throw Self.violation("more than \(limits.interimResponses) interim responses came")
                }
                return .interim(response)
            case .complete:
                skippedLines = parser.skippedLines
                let head = ResponseHead(parser)
                if isWhole, head.size == offset - start, skippedLines == 0, !parser.hasPassingField {
                    memory.keep(head, UnsafeRawBufferPointer(rebasing: bytes[start..<offset]))
                }
                return try ended(head)
            case .violation(let reason): throw Self.violation(reason)
            }
        }
        // No more of a line is let in than it takes to see that this is no answer.
        guard !parser.isAtStart || line.isEmpty || line.begins(like: "HTTP/1.") else {
            throw Self.violation("the response does not begin with a status line of HTTP/1")
        }
        try limitHead()
        return nil
    }

    /// The parser counts whole lines alone.
    private func limitHead() throws(NetworkClientError) {
        guard parser.size + line.count <= limits.head else {
            throw Self.violation("the response's head is larger than \(limits.head) bytes")
        }
    }

    /// The next line with its end, valid until another is begun; `nil` when it is not all there. Then what there is of it is kept.
    private mutating func nextLine(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UnsafeRawBufferPointer? {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        guard let end = rest.firstIndex(ofByte: 0x0a) else {
            line.append(rest)
            offset = bytes.count
            return nil
        }
        offset += end + 1
        let piece = UnsafeRawBufferPointer(rebasing: rest[...end])
        return line.isEmpty ? piece : line.complete(with: piece)
    }

    private mutating func ended(_ head: ResponseHead) throws(NetworkClientError) -> Event {
        let length = try bodyLength(head)
        switch length {
        case .none: phase = .complete
        case .exactly(let count):
            self.length = count
            phase = count == 0 ? .complete : .body(left: count)
        case .chunked: phase = .chunkSize
        case .untilClose: phase = .untilClose
        case .switched: phase = .over
        }
        keeps = head.isPersistent && length != .untilClose && length != .switched
        self.head = head
        return .head(head.response, length)
    }

    /// RFC 9112 §6.3.
    private func bodyLength(_ head: ResponseHead) throws(NetworkClientError) -> BodyLength {
        if head.code == 101 {
            guard let upgrade, head.offers(upgrade) else {
                throw Self.violation("the server switched to another protocol than the one asked for")
            }
            return .switched
        }
        if method == .connect, (200..<300).contains(head.code) { return .switched }
        guard method.responseHasContent(status: head.code) else { return .none }
        if head.isChunked { return .chunked }
        return head.contentLength.map { .exactly($0) } ?? .untilClose
    }
}

// MARK: - The body (RFC 9112 §7.1)

extension ResponseReader {
    private mutating func readContent(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int, _ left: Int64) -> Event? {
        let count = Int(min(left, Int64(bytes.count - offset)))
        guard count > 0 else { return nil }
        let range = offset..<(offset + count)
        offset += count
        consumed(count)
        return .body(range)
    }

    private mutating func take(_ count: Int, of left: Int64) {
        let rest = max(0, left - Int64(count))
        if case .body = phase {
            phase = rest == 0 ? .complete : .body(left: rest)
        } else {
            phase = rest == 0 ? .chunkEnd(hasCR: false) : .chunk(left: rest)
        }
    }

    private mutating func readChunkSize(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) throws(NetworkClientError) {
        guard let line = nextLine(bytes, &offset) else {
            guard self.line.count <= limits.chunkLine else { throw tooLongChunkLine }
            return
        }
        guard line.count <= limits.chunkLine else { throw tooLongChunkLine }
        let size = try Self.chunkSize(line)
        overhead = max(0, overhead + line.count - 16 - 2 * Int(min(size, 1 << 20)))
        guard overhead <= limits.chunkOverhead else {
            throw Self.violation("the chunks have more than \(limits.chunkOverhead) bytes of extensions")
        }
        phase = size == 0 ? .trailers : .chunk(left: size)
    }

    private var tooLongChunkLine: NetworkClientError {
        Self.violation("the line before a chunk is larger than \(limits.chunkLine) bytes")
    }

    /// Sixteen digits hold every size that there can be, leading zeros included. What follows a `;` means nothing to us.
    private static func chunkSize(_ line: UnsafeRawBufferPointer) throws(NetworkClientError) -> Int64 {
        guard line.count >= 2, line[line.count - 2] == 0x0d else {
            throw violation("the line before a chunk has no CRLF")
        }
        let content = UnsafeRawBufferPointer(rebasing: line[..<(line.count - 2)])
        var size: UInt64 = 0
        var digits = 0
        while digits < content.count, let value = content[digits].hexValue {
            guard digits < 16 else { throw violation("a chunk's size is too large") }
            size = size << 4 | UInt64(value)
            digits += 1
        }
        guard digits > 0 else { throw violation("a chunk's size is not a hexadecimal number") }
        guard let size = Int64(exactly: size) else { throw violation("a chunk's size is too large") }
        // Old servers fill up with blanks.
        let rest = content[digits...].drop { $0.isBlank }
        guard rest.isEmpty || rest.first == UInt8(ascii: ";"), rest.allSatisfy({ !$0.isControl || $0 == 0x09 }) else {
            throw violation("a chunk's size is not a hexadecimal number")
        }
        return size
    }

    private mutating func readChunkEnd(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int, _ hasCR: Bool
    ) throws(NetworkClientError) {
        guard offset < bytes.count else { return }
        guard bytes[offset] == (hasCR ? 0x0a : 0x0d) else { throw Self.violation("a chunk is longer than its size") }
        offset += 1
        phase = hasCR ? .chunkSize : .chunkEnd(hasCR: true)
    }

    private mutating func readTrailers(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) throws(NetworkClientError) {
        while let line = nextLine(bytes, &offset) {
            if case .violation(let reason) = parser.feed(line) { throw Self.violation(reason) }
            if line.count <= 2, line[0] == 0x0d || line[0] == 0x0a {
                phase = .complete
                return
            }
        }
        try limitHead()
    }

    private static func violation(_ reason: String) -> NetworkClientError {
        NetworkClientError(.protocolViolation, reason)
    }
}
