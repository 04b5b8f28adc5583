// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding of UTF-8 text (RFC 3986 §2.1), in one pass over the bytes.
package enum PercentEncoding {
    /// A set of ASCII bytes that may stand as they are; every other byte is written as `%XX`, upper case.
    package struct Allowed: Sendable {
        private let low: UInt64
        private let high: UInt64

        package init(_ characters: StaticString) {
            var low: UInt64 = 0
            var high: UInt64 = 0
            characters.withUTF8Buffer { bytes in
                for byte in bytes {
                    if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
                }
            }
            self.low = low
            self.high = high
        }

        @inline(__always)
        package func contains(_ byte: UInt8) -> Bool {
            (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 != 0 && byte < 128
        }

        /// RFC 3986 §2.3: the characters that never need encoding, in any component.
        package static let unreserved = Allowed("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        /// RFC 3986 §3.3: a whole path, `/` between segments included.
        package static let path = Allowed(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/")
        /// RFC 3986 §3.4: a whole query, its delimiters included.
        package static let query = Allowed(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?")
        /// The URL standard: what its application/x-www-form-urlencoded percent-encode set leaves out, and the space.
        fileprivate static let form = Allowed("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._ ")
    }

    /// Appends `text`, encoded once: a `%` in it becomes `%25`.
    package static func append(_ text: String, allowed: Allowed, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes in
            for byte in bytes {
                if allowed.contains(byte) { output.append(byte) } else { appendEscape(of: byte, to: &output) }
            }
        }
    }

    /// The same as a form has it: a space becomes `+`.
    package static func appendFormEncoded(_ text: String, to output: inout [UInt8]) {
        let start = output.count
        append(text, allowed: .form, to: &output)
        for index in start..<output.count where output[index] == UInt8(ascii: " ") { output[index] = UInt8(ascii: "+") }
    }

    /// Writes `text`, encoded once, at `end`; there must be room for three times its bytes.
    @inline(__always)
    static func encode(
        _ text: String, allowed: Allowed, to output: UnsafeMutableBufferPointer<UInt8>, at end: inout Int
    ) {
        var text = text
        end = text.withUTF8 { bytes in
            var index = end
            for byte in bytes {
                if allowed.contains(byte) {
                    output[index] = byte
                    index &+= 1
                } else {
                    output[index] = UInt8(ascii: "%")
                    output[index &+ 1] = hexDigit(byte >> 4)
                    output[index &+ 2] = hexDigit(byte & 15)
                    index &+= 3
                }
            }
            return index
        }
    }

    /// Appends text that may be encoded already: an escape that is well formed stays, any other illegal byte is encoded.
    package static func appendKeepingEscapes(_ text: Substring.UTF8View, allowed: Allowed, to output: inout [UInt8]) {
        var index = text.startIndex
        while index != text.endIndex {
            let byte = text[index]
            if allowed.contains(byte) {
                output.append(byte)
            } else if byte == UInt8(ascii: "%"), isEscape(text[index...]) {
                output.append(byte)
            } else {
                appendEscape(of: byte, to: &output)
            }
            index = text.index(after: index)
        }
    }

    package static func encode(_ text: String, allowed: Allowed = .unreserved) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        append(text, allowed: allowed, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    package static func encodeKeepingEscapes(_ text: Substring, allowed: Allowed) -> String {
        var text = text
        if text.withUTF8({ $0.allSatisfy { allowed.contains($0) } }) { return String(text) }
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count + 8)
        appendKeepingEscapes(text.utf8, allowed: allowed, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// The bytes that `text` stands for; an escape that is not well formed stays as it is.
    ///
    /// - Parameter plusIsSpace: as in a form.
    @inlinable
    package static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = text.startIndex
        while index != text.endIndex {
            let byte = text[index]
            if byte == UInt8(ascii: "%"), let value = escapedByte(text[index...]) {
                output.append(value)
                index = text.index(index, offsetBy: 3)
            } else {
                output.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                index = text.index(after: index)
            }
        }
        return output
    }

    /// The same as text; bytes that are not UTF-8 become U+FFFD.
    @inlinable
    package static func decodedText(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> String {
        String(decoding: decode(text, plusIsSpace: plusIsSpace), as: UTF8.self)
    }

    /// The name of an item `name=value` of a query, decoded.
    package static func itemName(_ item: Substring) -> String {
        decodedText(item.utf8.prefix { $0 != UInt8(ascii: "=") })
    }

    /// Whether the text begins with `%` and two hexadecimal digits.
    @inlinable
    package static func isEscape(_ text: some Collection<UInt8>) -> Bool { escapedByte(text) != nil }

    /// What the escape stands for with which the text begins; `nil` when it begins with none.
    @inlinable
    package static func escapedByte(_ text: some Collection<UInt8>) -> UInt8? {
        var iterator = text.makeIterator()
        guard iterator.next() == UInt8(ascii: "%"), let high = iterator.next()?.hexValue,
            let low = iterator.next()?.hexValue
        else { return nil }
        return high << 4 | low
    }

    @inline(__always)
    package static func appendEscape(of byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "%"))
        output.append(hexDigit(byte >> 4))
        output.append(hexDigit(byte & 15))
    }

    @inline(__always)
    private static func hexDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10
    }
}
