// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// How the bytes of a line are read.
extension HeadParser {
    /// Digits and nothing else, as far as an `Int64` goes.
    static func number(_ digits: UnsafeRawBufferPointer) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard digit.isDigit else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflow2) = product.addingReportingOverflow(Int64(digit - 0x30))
            if overflow || overflow2 { return nil }
            number = sum
        }
        return number
    }

    /// `timeout=5, max=100`, as servers write it: RFC 2068 §19.7.1.1 left the parameters open.
    static func timeout(in value: UnsafeRawBufferPointer) -> UInt64? {
        for parameter in value.split(separator: UInt8(ascii: ",")) {
            let parts = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2, isWord("timeout", trimmed(UnsafeRawBufferPointer(rebasing: parts[0]))),
                let seconds = number(trimmed(UnsafeRawBufferPointer(rebasing: parts[1])))
            else { continue }
            return UInt64(min(seconds, 1 << 32)) * 1_000_000_000
        }
        return nil
    }

    /// Bytes outside ASCII stay as they came (obs-text, RFC 9110 §5.5).
    static func field(_ name: HTTPField.Name, _ value: UnsafeRawBufferPointer) -> HTTPField {
        value.allSatisfy { $0 < 0x80 }
            ? HTTPField(name: name, value: String(decoding: value, as: UTF8.self))
            : HTTPField(name: name, lenientValue: value)
    }

    static func value(in line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let content = withoutLineEnd(line)
        let colon = content.firstIndex(of: UInt8(ascii: ":")) ?? content.endIndex
        return trimmed(UnsafeRawBufferPointer(rebasing: content[colon...].dropFirst()))
    }

    static func withoutLineEnd(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var end = line.endIndex
        if end > 0, line[end - 1] == 0x0a { end -= 1 }
        if end > 0, line[end - 1] == 0x0d { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: line[..<end])
    }

    static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes.trimmingBlanks)
    }

    static func isAllowed(_ value: UnsafeRawBufferPointer) -> Bool {
        value.allSatisfy { $0 != 0 && $0 != 0x0d && $0 != 0x0a }
    }

    /// - Parameter word: in lower case letters.
    static func isWord(_ word: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count == word.utf8.count && zip(bytes, word.utf8).allSatisfy { $0 | 0x20 == $1 }
    }
}
