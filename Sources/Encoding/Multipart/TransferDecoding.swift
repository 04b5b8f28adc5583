// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// Undoes the `Content-Transfer-Encoding` of a part (RFC 2045 §6), which forms have no longer but mail and old servers do.
enum TransferDecoding {
    case identity
    /// The bits that do not fill a byte yet, how many they are, and whether the padding has begun.
    case base64(bits: UInt32, count: Int, isPadded: Bool)
    /// What may be the start of an escape, and white space that may be at the end of a line.
    case quotedPrintable(pending: [UInt8])

    init(_ fields: HTTPFields) {
        switch fields[.known("Content-Transfer-Encoding")]?.asciiLowercased {
        case "base64": self = .base64(bits: 0, count: 0, isPadded: false)
        case "quoted-printable": self = .quotedPrintable(pending: [])
        default: self = .identity
        }
    }

    mutating func feed(_ bytes: [UInt8]) throws(MultipartError) -> [UInt8] {
        switch self {
        case .identity: return bytes
        case .base64(var bits, var count, var isPadded):
            var output: [UInt8] = []
            output.reserveCapacity(bytes.count / 4 * 3 + 3)
            for byte in bytes {
                if byte == UInt8(ascii: "=") { isPadded = true }
                guard let value = Self.base64Value(byte) else {
                    if [0x0D, 0x0A, 0x20, 0x09, UInt8(ascii: "=")].contains(byte) { continue }
                    throw MultipartError("a part is not the base64 that it says it is")
                }
                if isPadded { throw MultipartError("a part goes on behind the padding of its base64") }
                bits = bits << 6 | UInt32(value)
                count += 6
                if count >= 8 {
                    count -= 8
                    output.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
                    bits &= (1 << UInt32(count)) - 1
                }
            }
            self = .base64(bits: bits, count: count, isPadded: isPadded)
            return output
        case .quotedPrintable(var pending):
            var output: [UInt8] = []
            output.reserveCapacity(bytes.count)
            for byte in bytes { Self.feedQuotedPrintable(byte, &pending, &output) }
            self = .quotedPrintable(pending: pending)
            return output
        }
    }

    mutating func finish() throws(MultipartError) -> [UInt8] {
        defer { self = .identity }
        switch self {
        case .identity: return []
        case .base64(_, let count, _):
            guard count != 6 else { throw MultipartError("the base64 of a part is cut short") }
            return []
        case .quotedPrintable(let pending):
            // White space at the end of a line was added on the way (RFC 2045 §6.7, rule 3).
            return pending.first == UInt8(ascii: "=") && pending.count > 1 ? pending : []
        }
    }

    private static func base64Value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    /// `=3D` is a byte, `=` at the end of a line joins it with the next. What is neither is taken as it stands.
    private static func feedQuotedPrintable(_ byte: UInt8, _ pending: inout [UInt8], _ output: inout [UInt8]) {
        if pending.first == UInt8(ascii: "=") {
            let isLineEnd = pending.dropFirst().allSatisfy { $0.isBlank || $0 == 0x0D }
            if isLineEnd, byte == 0x0A {
                pending = []
            } else if isLineEnd, byte.isBlank || byte == 0x0D, pending.count < 64 {
                pending.append(byte)
            } else if pending.count == 1, byte.hexValue != nil {
                pending.append(byte)
            } else if pending.count == 2, let high = pending[1].hexValue, let low = byte.hexValue {
                output.append(high << 4 | low)
                pending = []
            } else {
                flush(&pending, &output)
                feedQuotedPrintable(byte, &pending, &output)
            }
        } else if byte == UInt8(ascii: "=") {
            flush(&pending, &output)
            pending = [byte]
        } else if byte.isBlank {
            pending.append(byte)
            if pending.count > 1024 { flush(&pending, &output) }
        } else {
            if byte == 0x0D || byte == 0x0A { pending = [] }
            flush(&pending, &output)
            output.append(byte)
        }
    }

    private static func flush(_ pending: inout [UInt8], _ output: inout [UInt8]) {
        output.append(contentsOf: pending)
        pending = []
    }
}
