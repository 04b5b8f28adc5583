// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Takes an answer of HTTP/1 apart that libcurl has not read any more (RFC 9112 §6, §7). It knows no I/O.
///
/// What the fields mean is for ``HeadParser``; a body that is not well framed is incomplete.
struct SalvagedAnswer {
    /// What comes next.
    enum Part: Equatable {
        case head
        case bytes(Int64)
        case chunkSize
        case chunk(Int64)
        case chunkEnd
        case trailers
        /// There is no length: the body ends with the connection.
        case untilEnd
        case over
    }

    enum Piece {
        /// A line of the head with its line end.
        case headLine([UInt8])
        case body(UnsafeRawBufferPointer)
    }

    private var part: Part
    private var line: [UInt8] = []
    private var isWhole = false

    /// Longer than any line that libcurl takes.
    private static let maximumLine = 128 * 1024

    init(_ part: Part) {
        self.part = part
        finishIfDone()
    }

    var isOver: Bool { part == .over }

    /// - Parameter isCleanEnd: whether the end of the connection is known to be the server's will.
    func isComplete(atCleanEnd isCleanEnd: Bool) -> Bool { isWhole || part == .untilEnd && isCleanEnd }

    mutating func giveUp() { part = .over }

    /// The head is complete, and says how the body is framed.
    mutating func headEnded(_ body: Part) {
        part = body
        finishIfDone()
    }

    private mutating func finishIfDone() {
        if case .bytes(let count) = part, count <= 0 { (part, isWhole) = (.over, true) }
    }

    /// Takes something off the front of `bytes`.
    mutating func next(_ bytes: inout UnsafeRawBufferPointer) -> Piece? {
        switch part {
        case .over:
            bytes = UnsafeRawBufferPointer(rebasing: bytes[bytes.endIndex...])
            return nil
        case .untilEnd:
            return .body(Self.take(bytes.count, of: &bytes))
        case .bytes(let count):
            let piece = Self.take(Int(min(count, Int64(bytes.count))), of: &bytes)
            part = .bytes(count - Int64(piece.count))
            finishIfDone()
            return .body(piece)
        case .chunk(let count):
            let piece = Self.take(Int(min(count, Int64(bytes.count))), of: &bytes)
            part = count == piece.count ? .chunkEnd : .chunk(count - Int64(piece.count))
            return .body(piece)
        case .head, .chunkSize, .chunkEnd, .trailers:
            return takeLine(&bytes).flatMap { take(line: $0) }
        }
    }

    private mutating func take(line: [UInt8]) -> Piece? {
        let content = line.prefix { $0 != 0x0d && $0 != 0x0a }
        switch part {
        case .head: return .headLine(line)
        case .chunkSize:
            let digits = content.prefix { $0 != UInt8(ascii: ";") && !$0.isBlank }
            guard let size = Int64(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0 else {
                giveUp()
                return nil
            }
            part = size == 0 ? .trailers : .chunk(size)
        case .chunkEnd: part = content.isEmpty ? .chunkSize : .over
        case .trailers: if content.isEmpty { (part, isWhole) = (.over, true) }
        case .bytes, .chunk, .untilEnd, .over: break
        }
        return nil
    }

    /// A line with its end, once that is there.
    private mutating func takeLine(_ bytes: inout UnsafeRawBufferPointer) -> [UInt8]? {
        let end = bytes.firstIndex(of: 0x0a)
        line += Self.take(end.map { $0 + 1 } ?? bytes.count, of: &bytes)
        guard line.count <= Self.maximumLine else {
            giveUp()
            return nil
        }
        guard end != nil else { return nil }
        defer { line = [] }
        return line
    }

    private static func take(_ count: Int, of bytes: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        defer { bytes = UnsafeRawBufferPointer(rebasing: bytes[count...]) }
        return UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }
}
