// SPDX-License-Identifier: Apache-2.0

/// Percent decoding as servers do it: an escape that is none stays as it is, bad UTF-8 becomes U+FFFD.
enum PercentEncoding {
    /// What makes a URI of a reference in any script (RFC 3987 §3.1).
    static func encodedOutsideOfASCII(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            if byte < 0x80 {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + String(byte, radix: 16, uppercase: true)
            }
        }
    }

    static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
        String(decoding: decodedBytes(Array(text.utf8), plusIsSpace: plusIsSpace), as: UTF8.self)
    }

    static func decodedBytes(_ bytes: [UInt8], plusIsSpace: Bool = false) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = hexValue(bytes[index + 1]), let low = hexValue(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return decoded
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
