// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes UTF-8 of UTF-16 and UTF-32, in whatever pieces they come. What is broken becomes U+FFFD.
struct WideText: Sendable {
    private let width: Int
    private let isBigEndian: Bool
    /// The bytes of a character that has not come whole.
    private var unfinished: [UInt8] = []

    /// - Parameter charset: that of the byte order mark, where there is one; little-endian where it leaves that open.
    init(_ charset: TextCharset) {
        width = [.utf32, .utf32LittleEndian, .utf32BigEndian].contains(charset) ? 4 : 2
        isBigEndian = [.utf16BigEndian, .utf32BigEndian].contains(charset)
    }

    mutating func utf8(of piece: Data) -> Data {
        var bytes = unfinished
        bytes.append(contentsOf: piece)
        var end = bytes.count - bytes.count % width
        if width == 2, end > 0, UTF16.isLeadSurrogate(unit(at: end - 2, of: bytes)) { end -= 2 }
        unfinished = Array(bytes[end...])
        return text(of: bytes[..<end])
    }

    /// What is left at the end of the body, which is broken.
    mutating func finish() -> Data {
        defer { unfinished = [] }
        return unfinished.isEmpty ? Data() : Data("\u{FFFD}".utf8)
    }

    private func unit(at index: Int, of bytes: [UInt8]) -> UInt16 {
        let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
        return isBigEndian ? first << 8 | second : second << 8 | first
    }

    private func text(of bytes: ArraySlice<UInt8>) -> Data {
        if width == 2 {
            let bytes = Array(bytes)
            let units = stride(from: 0, to: bytes.count, by: 2).map { unit(at: $0, of: bytes) }
            return Data(String(decoding: units, as: UTF16.self).utf8)
        }
        var units: [UInt32] = []
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 4) {
            let unit = bytes[start..<(start + 4)]
            units.append((isBigEndian ? Array(unit) : unit.reversed()).reduce(0) { $0 << 8 | UInt32($1) })
        }
        return Data(String(decoding: units, as: UTF32.self).utf8)
    }
}

extension TextCharset {
    /// Whether a line end has several bytes.
    var isWide: Bool {
        switch self {
        case .utf8, .ascii, .windows1252: false
        default: true
        }
    }
}
