// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Cuts a JSON text sequence (RFC 7464) into its texts: each begins with a record separator and ends with a line feed.
///
/// A text may have line feeds in it. It is given out at the line feed after its last bracket. If it were given out only
/// when the next text begins, a live sequence would always be one text behind.
struct JSONTextSplitter: Sendable {
    enum Text: Equatable, Sendable {
        case whole(Data)
        /// Ended by the next text or the end of the body where more was to come.
        case truncated(Data)
    }

    let maximumLength: Int

    private var piece = Data()
    private var position = 0
    private var text = Data()
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    init(maximumLength: Int) {
        self.maximumLength = maximumLength
    }

    mutating func append(_ piece: Data) {
        if position >= self.piece.count {
            self.piece = piece
            position = 0
        } else {
            self.piece.append(piece)
        }
    }

    mutating func next() throws -> Text? {
        let piece = self.piece
        return try piece.withUnsafeBytes { try next(in: $0) }
    }

    /// Ends the body: the last text, if one was begun.
    mutating func finish() throws -> Text? {
        if let text = try next() { return text }
        return take(endedByLineFeed: false)
    }

    private mutating func next(in bytes: UnsafeRawBufferPointer) throws -> Text? {
        var start = position
        var position = start
        defer { self.position = position }
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            let isEnd = byte == .recordSeparator || (byte == .lineFeed && depth == 0 && !isInString)
            guard isEnd else {
                track(byte)
                continue
            }
            try collect(bytes.part(start..<(position - 1)))
            start = position
            if let text = take(endedByLineFeed: byte == .lineFeed) { return text }
        }
        try collect(bytes.part(start..<bytes.count))
        return nil
    }

    /// Follows strings and brackets, as far as it takes to know whether more must come.
    @inline(__always)
    private mutating func track(_ byte: UInt8) {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
    }

    private mutating func collect(_ bytes: UnsafeRawBufferPointer) throws {
        guard text.count + bytes.count <= maximumLength else {
            throw StreamFailure.tooLarge("a text", limit: maximumLength)
        }
        text.append(contentsOf: bytes)
    }

    /// Takes the text so far and starts over; `nil` when it is white space.
    private mutating func take(endedByLineFeed: Bool) -> Text? {
        defer {
            text = Data()
            (depth, isInString, isEscaped) = (0, false, false)
        }
        guard let first = text.first(where: { !$0.isWhitespace }) else { return nil }
        // A number or word may have lost its end without showing it (§2.4); a bracket or quote shows it.
        let showsItsEnd = first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"")
        let isEnded = endedByLineFeed || showsItsEnd || text.last?.isWhitespace == true
        return isEnded && depth == 0 && !isInString ? .whole(text) : .truncated(text)
    }
}
