// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Takes a multipart body apart while it arrives (RFC 2046 §5.1.1): knows no I/O, holds no more than one field block.
struct MultipartParser {
    enum Event: Equatable {
        case begin(HTTPFields)
        case data(Data)
        case end
    }

    private enum State {
        case preamble
        /// Behind what may be a delimiter, at the bytes that decide whether it is one; those that have come so far.
        case delimiter([UInt8])
        case fields
        case body
        case epilogue
    }

    private let limits: MultipartDecoder.Limits
    private var state = State.preamble
    /// What a delimiter looks like. In the preamble there may be two candidates, of which the first that is met counts.
    private var candidates: [Delimiter]
    private var fields = MultipartFieldParser()
    private var partCount = 0
    private var hasPreamble = false
    private var events: [Event] = []
    private var output: [UInt8] = []

    init(boundary: String, limits: MultipartDecoder.Limits) {
        self.limits = limits
        candidates = [Delimiter("\r\n--\(boundary)")]
        // Some servers announce the boundary with the two dashes that belong to the delimiter. A boundary of nothing
        // but dashes is taken as it is: there these two could not be told from its own, and two too many would mean the
        // end of the body.
        if boundary.hasPrefix("--"), boundary.utf8.contains(where: { $0 != UInt8(ascii: "-") }) {
            candidates.append(Delimiter("\r\n\(boundary)"))
        }
        for index in candidates.indices { candidates[index].beginLine() }
    }

    /// - Returns: what is complete, and what is wrong behind it; nothing more may be fed then.
    mutating func feed(_ piece: Data) -> (events: [Event], failure: MultipartError?) {
        defer { events = [] }
        do {
            try read([UInt8](piece))
            return (events, nil)
        } catch {
            return (events, error)
        }
    }

    private mutating func read(_ bytes: [UInt8]) throws(MultipartError) {
        var index = 0
        while index < bytes.count {
            switch state {
            case .preamble:
                feedPreamble(bytes[index])
                index += 1
            case .body: index = feedBody(bytes, from: index)
            case .delimiter(let tail): if try feedDelimiter(bytes[index], tail) { index += 1 }
            case .fields:
                try feedFields(bytes[index])
                index += 1
            case .epilogue: index = bytes.count
            }
        }
        if case .epilogue = state {} else { flush() }
    }

    /// - Throws: ``MultipartError`` when the close delimiter has not come.
    func finish() throws(MultipartError) {
        switch state {
        case .epilogue: return
        case .preamble: throw MultipartError("there is no delimiter in the body")
        default: throw MultipartError("the body ends before its close delimiter")
        }
    }

    private mutating func flush() {
        guard !output.isEmpty else { return }
        events.append(.data(Data(output)))
        output.removeAll(keepingCapacity: true)
    }
}

extension MultipartParser {
    private mutating func feedPreamble(_ byte: UInt8) {
        for index in candidates.indices {
            if candidates[index].feed(byte) {
                candidates.swapAt(0, index)
                state = .delimiter([])
                return
            }
        }
        if byte != 0x0A, !byte.isBlank, !candidates.contains(where: \.isMatching) {
            hasPreamble = true
        }
    }

    /// - Returns: where to go on.
    private mutating func feedBody(_ bytes: [UInt8], from start: Int) -> Int {
        var index = start
        while index < bytes.count {
            if !candidates[0].isMatching {
                let next = bytes[index...].firstIndex(of: 0x0D) ?? bytes.count
                output.append(contentsOf: bytes[index..<next])
                index = next
                if index == bytes.count { break }
            }
            let before = candidates[0].matchedData
            if candidates[0].feed(bytes[index]) {
                state = .delimiter([])
                return index + 1
            }
            if !candidates[0].isMatching {
                output.append(contentsOf: before)
                output.append(bytes[index])
            } else if candidates[0].hasRestarted {
                output.append(contentsOf: before)
            }
            index += 1
        }
        return index
    }

    /// - Returns: whether the byte was consumed.
    private mutating func feedDelimiter(_ byte: UInt8, _ tail: [UInt8]) throws(MultipartError) -> Bool {
        switch (tail.last, byte) {
        case (UInt8(ascii: "-"), UInt8(ascii: "-")):
            endPart()
            // RFC 2046 has at least one part; a body of nothing but the close delimiter is what servers send for none.
            if partCount == 0, hasPreamble { throw MultipartError("there is no part before the close delimiter") }
            state = .epilogue
        case (nil, UInt8(ascii: "-")), (nil, 0x20), (nil, 0x09), (nil, 0x0D), (0x20, 0x20), (0x20, 0x09), (0x20, 0x0D),
            (0x09, 0x20), (0x09, 0x09), (0x09, 0x0D):
            guard tail.count < Self.paddingLimit else { return try rejectDelimiter(tail) }
            state = .delimiter(tail + [byte])
        case (0x0D, 0x0A):
            endPart()
            partCount += 1
            guard partCount <= limits.parts else { throw MultipartError("more than \(limits.parts) parts") }
            fields = MultipartFieldParser()
            state = .fields
        default: return try rejectDelimiter(tail)
        }
        return true
    }

    /// White space that may stand behind a delimiter.
    private static let paddingLimit = 256

    /// What looked like a delimiter is none: its bytes belong to the part, or to the preamble.
    private mutating func rejectDelimiter(_ tail: [UInt8]) throws(MultipartError) -> Bool {
        let text = candidates[0].matchedData
        for index in candidates.indices { candidates[index].reset() }
        if partCount == 0 {
            hasPreamble = true
            state = .preamble
        } else {
            output.append(contentsOf: text)
            output.append(contentsOf: tail)
            state = .body
        }
        return false
    }

    private mutating func endPart() {
        guard partCount > 0 else { return }
        flush()
        events.append(.end)
    }

    private mutating func feedFields(_ byte: UInt8) throws(MultipartError) {
        guard try fields.feed(byte, limit: limits.fieldBytes) else { return }
        events.append(.begin(fields.fields))
        state = .body
        // The line end of the empty line may already be that of a delimiter, and is no data.
        candidates[0].reset()
        candidates[0].beginLine()
    }
}

/// The progress of a match with `CRLF --boundary`.
///
/// A CR stands at the start of it and nowhere else, so that a match which fails can begin again only at the byte where it
/// failed: no byte is looked at more than twice.
private struct Delimiter {
    private let text: [UInt8]
    private var matched = 0
    /// How many of the matched bytes are a line end from before, which is no data of the part.
    private var borrowed = 0
    /// The byte that was fed last ended one match and began another.
    private(set) var hasRestarted = false

    init(_ text: String) { self.text = Array(text.utf8) }

    var isMatching: Bool { matched > 0 }

    /// What would be data if the match failed now.
    var matchedData: ArraySlice<UInt8> { matched > borrowed ? text[borrowed..<matched] : [] }

    /// Begins a match at the start of a line, after a line end that is not in the data.
    mutating func beginLine() { (matched, borrowed) = (2, 2) }

    mutating func reset() { (matched, borrowed, hasRestarted) = (0, 0, false) }

    /// - Returns: whether the delimiter is complete.
    mutating func feed(_ byte: UInt8) -> Bool {
        hasRestarted = false
        if text[matched] == byte {
            matched += 1
        } else {
            hasRestarted = matched > 0 && byte == text[0]
            (matched, borrowed) = (byte == text[0] ? 1 : 0, 0)
        }
        return matched == text.count
    }
}
