// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Counts the events of an event stream in one pass, without keeping any: blank lines behind a line of data.
struct EventCounter: Sendable {
    private(set) var count = 0
    private var column = 0
    private var isDataLine = true
    private var hasData = false
    private var isAfterCarriageReturn = false
    /// How many bytes of a byte order mark have come at the start of the stream; `nil` after the start.
    private var markLength: Int? = 0

    private static let data = Array("data".utf8)

    mutating func add(_ piece: Data) {
        for byte in piece {
            if let length = markLength {
                if byte == TextCharset.byteOrderMark[length] {
                    markLength = length + 1 < TextCharset.byteOrderMark.count ? length + 1 : nil
                    continue
                }
                markLength = nil
                column = length
                isDataLine = length == 0
            }
            if byte == UInt8(ascii: "\n"), isAfterCarriageReturn {
                isAfterCarriageReturn = false
                continue
            }
            isAfterCarriageReturn = byte == UInt8(ascii: "\r")
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                endLine()
            } else {
                if column < Self.data.count, byte != Self.data[column] { isDataLine = false }
                if column == Self.data.count, byte != UInt8(ascii: ":") { isDataLine = false }
                column += 1
            }
        }
    }

    private mutating func endLine() {
        if column == 0 {
            if hasData { count += 1 }
            hasData = false
        } else if isDataLine, column >= Self.data.count {
            hasData = true
        }
        column = 0
        isDataLine = true
    }
}
