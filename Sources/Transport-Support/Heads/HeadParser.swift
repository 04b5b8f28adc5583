// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import StrataCore

/// Builds a response's head from its lines, and refuses what no framing can be trusted with (RFC 9112 §4 to §6).
///
/// The lines of interim responses (RFC 9110 §15.2) and of trailers (RFC 9112 §7.1.2) come here too, and are kept out of the
/// head. Who frames the message, libcurl or a reader of ours, goes by what this says.
package struct HeadParser {
    package enum Outcome: Equatable {
        case more
        /// The head of an interim response is whole, and somebody wants to know of it; another follows.
        case interim(HTTPResponse)
        /// The head is whole. What is fed from here on are trailers.
        case complete
        /// The response is not to be used; the reason is for a person.
        case violation(String)
    }

    private enum Phase {
        case statusLine, fields, complete
    }

    /// Its fields are there when the head is whole.
    package private(set) var response = Self.nothing
    /// The status code. `HTTPResponse` would have to parse it from text each time.
    package private(set) var code = 0
    /// Whether the connection carries one exchange at a time.
    package private(set) var isHTTP1 = false
    /// Whether it can carry many: then libcurl makes up the status line. A server that writes such a line itself makes
    /// libcurl believe that the connection speaks HTTP/2.
    package var mayBeHTTP2 = true
    /// The body's announced length (RFC 9112 §6.3); `nil` when it is chunked or ends with the connection.
    package private(set) var contentLength: Int64?
    /// Whether the length was announced in two ways, or in a way that the response's version does not have. Another
    /// recipient, such as a proxy, may then see the end of the body elsewhere (RFC 9112 §6.1, §6.3).
    package private(set) var isDoubtful = false
    /// Whether the body comes in chunks, and ends with the last of them.
    package private(set) var isChunked = false
    /// Whether the version is 1.0, in which connections close after an answer unless it says otherwise (RFC 9112 §9.3).
    package private(set) var isHTTP10 = false
    /// Whether the server closes the connection after this answer (`Connection: close`).
    package private(set) var closes = false
    /// Whether it says that it does not (`Connection: keep-alive`).
    package private(set) var persists = false
    /// Whether a field has come whose value may be a secret or is always another one: such a head is not kept.
    package private(set) var hasPassingField = false
    /// Whether the request asked the server to leave HTTP, so that 101 is an answer (RFC 9110 §7.8).
    package var mayBeUpgraded = false
    /// Whether there is a `Content-Encoding`.
    package private(set) var isContentEncoded = false
    /// How long the server keeps the connection open without a further request, as far as it says so: in nanoseconds.
    package private(set) var keepAlive: UInt64?
    /// Whether interim responses are handed out; else they are dropped.
    package var keepsInterim = false
    /// Whether lines that are no valid fields are left out; else they are a violation.
    package var skipsInvalidFields = false
    /// How many were.
    package private(set) var skippedLines = 0
    private var phase = Phase.statusLine
    private var arriving = ResponseFields()
    private var recorder: KnownHead.Recorder?
    private var transferCoding: TransferCoding?
    private var isFramingField = false
    private var isSkipping = false
    /// The last field's value so far, when it goes on over several lines.
    private var folded: [UInt8] = []
    /// How many bytes have come, those of interim responses included.
    package private(set) var size = 0
    private let limit: Int
    private let memory: FieldMemory

    /// More fields than any server sends; `HTTPFields` holds no more than 65,535.
    private static let maximumFields = 4096

    /// - Parameter memory: shared by the parsers of a loop.
    package init(limit: Int, memory: FieldMemory = FieldMemory()) {
        self.limit = limit
        self.memory = memory
    }

    private static let nothing = HTTPResponse(status: HTTPResponse.Status(code: 0))

    package var isComplete: Bool { phase == .complete }
    /// Whether nothing of a head has come, or nothing behind an interim one.
    package var isAtStart: Bool { phase == .statusLine }

    /// Ready for another response.
    package mutating func reset() {
        forgetFields()
        response = Self.nothing
        code = 0
        phase = .statusLine
        size = 0
    }

    private mutating func forgetFields() {
        keepAlive = nil
        arriving = ResponseFields()
        recorder = nil
        contentLength = nil
        isContentEncoded = false
        isDoubtful = false
        (transferCoding, isChunked) = (nil, false)
        (closes, persists, hasPassingField) = (false, false, false)
        isFramingField = false
        (isSkipping, skippedLines) = (false, 0)
        if !folded.isEmpty { folded = [] }
    }

    /// Takes one line with its line end.
    package mutating func feed(_ line: UnsafeRawBufferPointer) -> Outcome {
        size += line.count
        guard size <= limit else { return .violation("the response's head is larger than \(limit) bytes") }
        if phase == .fields, folded.isEmpty, let role = arriving.take(line) {
            isSkipping = false
            return note(line, role)
        }
        let content = Self.withoutLineEnd(line)
        switch phase {
        case .statusLine:
            return statusLine(content)
        case .fields:
            if content.isEmpty { return end() }
            // A second status line without an empty line before it is refused as a field, because it has no colon or no
            // valid name.
            return field(content, in: line)
        case .complete:
            return trailer(content, in: line)
        }
    }

    // MARK: - Status line (RFC 9112 §4)

    private mutating func statusLine(_ line: UnsafeRawBufferPointer) -> Outcome {
        if let known = memory.response(toStatusLine: line) {
            (response, code) = known
        } else {
            if let problem = parseStatus(line) { return .violation(problem) }
            memory.rememberStatusLine(line, response, code)
        }
        // RFC 9110 §15.2.2: the server leaves HTTP, although nobody has asked for it.
        guard code != 101 || mayBeUpgraded else { return .violation("the server switched protocols") }
        isHTTP1 = line.count > 5 && line[5] == UInt8(ascii: "1")
        guard isHTTP1 || mayBeHTTP2 else { return .violation("the status line is of another version than HTTP/1") }
        isHTTP10 = isHTTP1 && line.count > 7 && line[7] == UInt8(ascii: "0")
        forgetFields()
        arriving = ResponseFields(like: memory.knownHead)
        if memory.wantsHead { recorder = KnownHead.Recorder() }
        phase = .fields
        return .more
    }

    /// - Returns: what is wrong with the line.
    private mutating func parseStatus(_ line: UnsafeRawBufferPointer) -> String? {
        guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: UInt8(ascii: " ")) else {
            return "the response does not begin with a status line"
        }
        let (version, rest) = (line[5..<space], UnsafeRawBufferPointer(rebasing: line[(space + 1)...]))
        let isServers = version.count == 3 && version.starts(with: "1.".utf8) && version[7].isDigit
        // HTTP/2 and 3 have no status line, so libcurl makes one up, without minor version and reason.
        let isLibcurls = rest.count <= 4 && (version.elementsEqual("2".utf8) || version.elementsEqual("3".utf8))
        guard isServers || isLibcurls else { return "the status line is of another version than HTTP/1" }
        guard rest.count >= 3, rest[..<3].allSatisfy(\.isDigit), rest.count == 3 || rest[3] == UInt8(ascii: " ")
        else {
            return "the status code is not a number of three digits"
        }
        code = rest[..<3].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard code >= 100 else { return "the status code is below 100" }
        guard Self.isAllowed(rest) else { return "the status line has a line break or NUL in it" }
        let reason = rest.count > 4 ? String(decoding: rest[4...], as: UTF8.self) : ""
        response = HTTPResponse(status: HTTPResponse.Status(code: code, reasonPhrase: reason))
        return nil
    }

    // MARK: - Field lines (RFC 9112 §5)

    /// - Parameter line: the same with its line end.
    private mutating func field(_ content: UnsafeRawBufferPointer, in line: UnsafeRawBufferPointer) -> Outcome {
        if content[0].isBlank { return isSkipping ? .more : fold(content) }
        endFold()
        isSkipping = false
        guard arriving.count < Self.maximumFields else { return .violation("the response has too many fields") }
        let hash = FieldMemory.hash(content)
        if let field = memory.field(content, hash) {
            arriving.append(field)
            return note(line, .other)
        }
        guard let colon = content.firstIndex(of: UInt8(ascii: ":")) else {
            return skip(content, "a field line has no colon")
        }
        let spelling = UnsafeRawBufferPointer(rebasing: content[..<colon])
        // Blanks before the colon are no part of a name (§5.1) and fall out here too.
        guard let (name, role) = memory.name(spelling) else {
            return skip(spelling, "a field name has a character that is not allowed")
        }
        let value = Self.trimmed(UnsafeRawBufferPointer(rebasing: content[(colon + 1)...]))
        guard Self.isAllowed(value) else { return skip(spelling, "a field value has a line break or NUL in it") }
        let field = Self.field(name, value)
        arriving.append(field)
        // A trailer says nothing about the framing (RFC 9110 §6.5.1).
        if phase == .complete { return .more }
        if role == .other { memory.remember(content, hash, field) }
        return note(line, role)
    }

    /// Leaves an invalid line out, with those that it goes on in, if that is wanted.
    ///
    /// - Parameter name: as it came. One that somebody else might take for that of a framing field is never left out.
    private mutating func skip(_ name: UnsafeRawBufferPointer, _ problem: String) -> Outcome {
        let letters = name.lazy.filter { $0.isLetter }.map { $0 | 0x20 }
        let isFraming = ["contentlength", "transferencoding"].contains { letters.starts(with: $0.utf8) }
        guard skipsInvalidFields, !isFraming else { return .violation(problem) }
        isSkipping = true
        skippedLines += 1
        recorder = nil
        return .more
    }

    /// What a field says about the message.
    private mutating func note(_ line: UnsafeRawBufferPointer, _ role: FieldMemory.Role) -> Outcome {
        if recorder?.add(line, role) == false { recorder = nil }
        isFramingField = role == .contentLength || role == .transferEncoding
        switch role {
        case .contentLength:
            if let problem = noteLength(Self.value(in: line)) { return .violation(problem) }
        case .transferEncoding:
            guard transferCoding == nil, let coding = TransferCoding(Self.value(in: line)) else {
                return .violation("the transfer coding is not chunked alone")
            }
            transferCoding = coding
        case .contentEncoding: isContentEncoded = true
        case .connection: noteConnection(Self.value(in: line))
        case .keepAlive: keepAlive = Self.timeout(in: Self.value(in: line))
        case .passing: hasPassingField = true
        case .other: break
        }
        return .more
    }

    /// A value that goes on in the next line: the break counts as a blank (RFC 9112 §5.2).
    private mutating func fold(_ line: UnsafeRawBufferPointer) -> Outcome {
        guard let last = arriving.last else { return skip(line, "the first field line begins with a blank") }
        guard !isFramingField else { return .violation("a framing field is folded") }
        let more = Self.trimmed(line)
        guard Self.isAllowed(more) else { return .violation("a field value has a line break or NUL in it") }
        recorder = nil
        if more.isEmpty { return .more }
        if folded.isEmpty { last.withUnsafeBytesOfValue { folded.append(contentsOf: $0) } }
        if !folded.isEmpty { folded.append(UInt8(ascii: " ")) }
        folded.append(contentsOf: more)
        return .more
    }

    /// The field is made once, however many lines its value has.
    private mutating func endFold() {
        guard !folded.isEmpty, let last = arriving.last else { return }
        arriving.replaceLast(HTTPField(name: last.name, lenientValue: folded))
        folded = []
    }

    private mutating func end() -> Outcome {
        guard code >= 200 || code == 101 || keepsInterim else {
            phase = .statusLine
            return .more
        }
        endFold()
        let (fields, isKnown) = arriving.finish()
        response.headerFields = fields
        arriving = ResponseFields()
        guard code >= 200 || code == 101 else {
            phase = .statusLine
            recorder = nil
            return .interim(response)
        }
        phase = .complete
        (isFramingField, isSkipping) = (false, false)
        memory.headEnded(recorder.take().map { KnownHead(fields, $0) }, isKnown: isKnown)
        // RFC 9112 §6.3: Transfer-Encoding overrides Content-Length.
        isChunked = transferCoding == .chunked
        if let transferCoding {
            isDoubtful = isHTTP10 || !isChunked || contentLength != nil
            if transferCoding != .identity { contentLength = nil }
        }
        return .complete
    }

    // MARK: - Trailers (RFC 9110 §6.5, RFC 9112 §7.1.2)

    /// The head has come, and was known without being fed: what is fed from here on are trailers.
    ///
    /// - Parameter size: bytes of the head, which count against the limit.
    package mutating func skipHead(_ size: Int) {
        phase = .complete
        self.size = size
    }

    /// The fields that have come behind the body, whatever their names; `nil` for none.
    package var trailers: HTTPFields? {
        guard phase == .complete, arriving.count > 0 else { return nil }
        var arriving = arriving
        if let last = arriving.last, !folded.isEmpty {
            arriving.replaceLast(HTTPField(name: last.name, lenientValue: folded))
        }
        return arriving.finish().0
    }

    private mutating func trailer(_ content: UnsafeRawBufferPointer, in line: UnsafeRawBufferPointer) -> Outcome {
        content.isEmpty ? .more : field(content, in: line)
    }

    // MARK: - What fields say (RFC 9112 §6, §9.3)

    private mutating func noteConnection(_ value: UnsafeRawBufferPointer) {
        for option in value.split(separator: UInt8(ascii: ",")) {
            let option = Self.trimmed(UnsafeRawBufferPointer(rebasing: option))
            if Self.isWord("close", option) { closes = true }
            if Self.isWord("keep-alive", option) { persists = true }
        }
    }

    /// Several equal lengths count as one (RFC 9110 §8.6); anything else cannot be recovered from.
    private mutating func noteLength(_ value: UnsafeRawBufferPointer) -> String? {
        var rest = value
        while true {
            let comma = rest.firstIndex(of: UInt8(ascii: ","))
            let digits = Self.trimmed(UnsafeRawBufferPointer(rebasing: rest[..<(comma ?? rest.endIndex)]))
            guard let length = Self.number(digits) else { return "the Content-Length is not a number, or too large" }
            if let contentLength, contentLength != length { return "there are two different Content-Lengths" }
            contentLength = length
            guard let comma else { return nil }
            rest = UnsafeRawBufferPointer(rebasing: rest[(comma + 1)...])
        }
    }
}
