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
            // By bytes: a bracket with a combining mark behind it is another Character.
            guard text.utf8.last == UInt8(ascii: "]"),
                let literal = bracketed(Substring(text.utf8.dropFirst().dropLast()))
            else {
                throw NetworkClientError(.malformedURL, "the host is not an IPv6 address")
            }
            return "[\(literal)]"
        }
        let name: String
        if text.utf8.allSatisfy({ isPlain($0) }) {
            name = text.utf8.contains(where: { (0x41...0x5a).contains($0) }) ? text.lowercased() : String(text)
        } else {
            name = try decoded(text)
        }
        return try checkedAddress(name)
    }

    /// An IPv6 address, and perhaps its zone behind `%25` (RFC 6874): the interface that a link-local address belongs to.
    private static func bracketed(_ text: Substring) -> String? {
        guard let percent = text.utf8.firstIndex(of: UInt8(ascii: "%")) else { return IPv6Address(text)?.text }
        let zone = text[percent...]
        guard let address = IPv6Address(text[..<percent]), zone.hasPrefix("%25"), zone.utf8.count > 3,
            zone.utf8.dropFirst(3).allSatisfy({ isPlain($0) || $0 == UInt8(ascii: "~") })
        else { return nil }
        return address.text + zone
    }

    /// Letters, digits, `-`, `.` and `_`: nothing to decode.
    static func isPlain(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "_")
    }

    private static func decoded(_ text: Substring) throws(NetworkClientError) -> String {
        let bytes = PercentEncoding.decode(text.utf8)
        guard let name = String(validating: bytes, as: UTF8.self) else {
            throw NetworkClientError(.malformedURL, "the host is not UTF-8")
        }
        let labels = mapped(name).split(separator: ".", omittingEmptySubsequences: false)
        let encoded = try labels.map { label throws(NetworkClientError) in
            if label.utf8.allSatisfy({ $0 < 0x80 }) { return String(label) }
            guard let composed = CanonicalComposition.composed(label), isValid(composed.unicodeScalars),
                let punycode = Punycode.encode(composed[...])
            else {
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

    /// The part of UTS #46 that needs no tables beyond Unicode's own: case folding, ideographic full stops, full-width forms,
    /// ignored characters, and the one vowel of Thai and of Lao that is written as a compatibility character.
    private static func mapped(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in name.lowercased().unicodeScalars {
            switch scalar.value {
            case 0x3002, 0xff0e, 0xff61: result.append(".")
            case 0xad, 0x200b, 0x2060, 0xfeff, 0xfe00...0xfe0f: continue
            case 0xff01...0xff5e:
                if let narrow = Unicode.Scalar(scalar.value - 0xfee0) {
                    result.append(contentsOf: String(narrow).lowercased().unicodeScalars)
                }
            // Letters of Cherokee are case-folded to capital letters, which `lowercased()` would make small.
            case 0xab70...0xabbf: result.append(Unicode.Scalar(scalar.value - 0x97d0) ?? scalar)
            case 0x13f8...0x13fd: result.append(Unicode.Scalar(scalar.value - 8) ?? scalar)
            case 0xe33: result.append(contentsOf: "\u{e4d}\u{e32}".unicodeScalars)
            case 0xeb3: result.append(contentsOf: "\u{ecd}\u{eb2}".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Whether a label may be one (RFC 5891 §4.2.3): what is not mapped here, and is elsewhere, would be another host.
    private static func isValid(_ label: String.UnicodeScalarView) -> Bool {
        guard let first = label.first, !CanonicalComposition.isMark(first) else { return false }
        return !label.dropFirst(2).starts(with: "--".unicodeScalars) && label.allSatisfy(isAllowed)
    }

    /// Letters, marks and digits that stay as they are: nearly all that IDNA 2008 (RFC 5892) lets into a label. Joiners,
    /// symbols, emoji and compatibility characters are out.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        // Case folding would change `ß` and `ς`, which are letters of their own in IDNA 2008.
        guard !scalar.properties.changesWhenNFKCCaseFolded || scalar == "ß" || scalar == "ς" else { return false }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: scalar == "-" || scalar == "_" || scalar == "\u{b7}" || scalar == "\u{30fb}"
        }
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
        guard let last = labels.last, let first = last.utf8.first, first.isDigit else { return name }
        let endsInNumber = last.utf8.allSatisfy(\.isDigit) || IPv4Address.number(last) != nil
        guard endsInNumber else { return name }
        guard let address = IPv4Address(labels) else {
            throw NetworkClientError(.malformedURL, "the host ends in a number but is no IPv4 address")
        }
        return address.text
    }
}
