// SPDX-License-Identifier: Apache-2.0

/// The host of a URL in canonical form, by the rules of the URL standard's host parser.
///
/// The name that is checked (allow-lists, origins, redirects) and the name that is connected to must be one and the same:
/// therefore numbers such as `0x7f.1` become the IPv4 address that a resolver would take them for, percent-encoding is
/// undone, and names outside ASCII become Punycode (RFC 3492).
enum URLHost {
    static func canonical(_ text: Substring) throws(NetworkClientError) -> String {
        guard !text.isEmpty else { throw NetworkClientError(.malformedURL, "the host is empty") }
        if text.utf8.first == UInt8(ascii: "[") {
            let inside = text.dropFirst().dropLast()
            guard text.utf8.last == UInt8(ascii: "]"), let address = IPv6Address(inside) else {
                throw NetworkClientError(.malformedURL, "the host is not an IPv6 address")
            }
            return "[\(address.text)]"
        }
        let name: String
        if text.utf8.allSatisfy({ isPlain($0) }) {
            name = text.utf8.contains(where: { (0x41...0x5a).contains($0) }) ? text.lowercased() : String(text)
        } else {
            name = try decoded(text)
        }
        return try checkedAddress(name)
    }

    /// Letters, digits, `-`, `.` and `_`: nothing to decode.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func decoded(_ text: Substring) throws(NetworkClientError) -> String {
        let bytes = PercentEncoding.decode(text.utf8)
        guard let name = String(validating: bytes, as: UTF8.self) else {
            throw NetworkClientError(.malformedURL, "the host is not UTF-8")
        }
        let labels = mapped(name).split(separator: ".", omittingEmptySubsequences: false)
        let encoded = try labels.map { label throws(NetworkClientError) in
            if label.utf8.allSatisfy({ $0 < 0x80 }) { return String(label) }
            guard let punycode = Punycode.encode(label) else {
                throw NetworkClientError(.malformedURL, "the host has a label that cannot be encoded")
            }
            return "xn--" + punycode
        }
        let host = encoded.joined(separator: ".")
        guard !host.isEmpty, host.utf8.allSatisfy({ !isForbidden($0) }) else {
            throw NetworkClientError(.malformedURL, "the host has a character that is not allowed")
        }
        return host
    }

    /// The part of UTS #46 that needs no tables beyond Unicode's own: case folding, ideographic full stops, full-width
    /// forms and ignored characters.
    private static func mapped(_ name: String) -> String {
        var result = ""
        for scalar in name.lowercased().unicodeScalars {
            switch scalar.value {
            case 0x3002, 0xff0e, 0xff61: result.unicodeScalars.append(".")
            case 0xad, 0x200b, 0x2060, 0xfeff, 0xfe00...0xfe0f: continue
            case 0xff01...0xff5e:
                if let narrow = Unicode.Scalar(scalar.value - 0xfee0) { result += String(narrow).lowercased() }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The URL standard's forbidden domain code points.
    private static func isForbidden(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7f...0xff: true
        case UInt8(ascii: "#"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "\\"), UInt8(ascii: "]"),
            UInt8(ascii: "^"), UInt8(ascii: "|"), UInt8(ascii: "%"):
            true
        default: false
        }
    }

    /// A name whose last label is a number is an IPv4 address or an error, never a name.
    private static func checkedAddress(_ name: String) throws(NetworkClientError) -> String {
        var labels = name.split(separator: ".", omittingEmptySubsequences: false)
        if labels.last?.isEmpty == true, labels.count > 1 { labels.removeLast() }
        guard let last = labels.last, let first = last.utf8.first, (0x30...0x39).contains(first) else { return name }
        let endsInNumber = last.utf8.allSatisfy { (0x30...0x39).contains($0) } || IPv4Address.number(last) != nil
        guard endsInNumber else { return name }
        guard let address = IPv4Address(labels) else {
            throw NetworkClientError(.malformedURL, "the host ends in a number but is no IPv4 address")
        }
        return address.text
    }
}

/// The URL standard's IPv4 parser: one to four numbers, decimal, octal (`0…`) or hexadecimal (`0x…`).
struct IPv4Address {
    let value: UInt32

    init?(_ labels: [Substring]) {
        guard (1...4).contains(labels.count) else { return nil }
        var numbers: [UInt64] = []
        for label in labels {
            guard let number = Self.number(label) else { return nil }
            numbers.append(number)
        }
        let last = numbers.removeLast()
        guard numbers.allSatisfy({ $0 <= 255 }), last < 1 << UInt64(8 * (4 - numbers.count)) else { return nil }
        var value = last
        for (position, number) in numbers.enumerated() { value += number << UInt64(8 * (3 - position)) }
        guard let value = UInt32(exactly: value) else { return nil }
        self.value = value
    }

    static func number(_ text: Substring) -> UInt64? {
        guard !text.isEmpty else { return nil }
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            let digits = text.dropFirst(2)
            return digits.isEmpty ? 0 : digits.first == "+" || digits.first == "-" ? nil : UInt64(digits, radix: 16)
        }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        if text.utf8.count > 1, text.utf8.first == 0x30 { return UInt64(text, radix: 8) }
        return UInt64(text)
    }

    var text: String { "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)" }
}

/// The URL standard's IPv6 parser and serializer (RFC 5952: lower case, the longest run of zeros as `::`).
struct IPv6Address {
    private(set) var pieces: [UInt16]

    init?(_ text: Substring) {
        let halves = text.components(separatedBy: "::")
        guard halves.count <= 2 else { return nil }
        guard let head = Self.pieces(halves[0], mayEndInIPv4: halves.count == 1) else { return nil }
        if halves.count == 1 {
            guard head.count == 8 else { return nil }
            pieces = head
        } else {
            guard let tail = Self.pieces(halves[1], mayEndInIPv4: true), head.count + tail.count < 8 else { return nil }
            pieces = head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail
        }
    }

    private static func pieces(_ text: Substring, mayEndInIPv4: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var pieces: [UInt16] = []
        for (offset, part) in parts.enumerated() {
            if mayEndInIPv4, offset == parts.count - 1, part.contains(".") {
                let labels = part.split(separator: ".", omittingEmptySubsequences: false)
                guard labels.count == 4,
                    labels.allSatisfy({
                        $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && ($0 == "0" || $0.utf8.first != 0x30)
                    }),
                    let address = IPv4Address(labels)
                else { return nil }
                pieces.append(UInt16(address.value >> 16))
                pieces.append(UInt16(address.value & 0xffff))
            } else {
                guard (1...4).contains(part.utf8.count),
                    part.utf8.allSatisfy({ PercentEncoding.hexValue($0) != nil }), let piece = UInt16(part, radix: 16)
                else { return nil }
                pieces.append(piece)
            }
        }
        return pieces
    }

    var text: String {
        var longest = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, pieces[end] == 0 { end += 1 }
            if end - start > max(1, longest.count) { longest = start..<end }
            start = max(end, start + 1)
        }
        func joined(_ range: Range<Int>) -> String {
            pieces[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        if longest.isEmpty { return joined(0..<8) }
        return joined(0..<longest.lowerBound) + "::" + joined(longest.upperBound..<8)
    }
}

extension Substring {
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self
        while let range = rest.firstRange(of: separator) {
            parts.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        return parts + [rest]
    }
}
