// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The charsets that text bodies are read in, by the labels of the Encoding standard.
///
/// Those that need tables of their own (Shift_JIS, GBK …) are left out: without ICU there is nothing to read them with.
package enum TextCharset: Hashable, Sendable {
    case utf8
    /// Senders often call UTF-8 by this name. So it is read as UTF-8 where that is possible, else as Windows-1252.
    case ascii
    /// Also for ISO 8859-1, as the Encoding standard (§4.2) asks: all of its characters are the same there.
    case windows1252
    /// By its byte order mark; little-endian without one (Encoding standard §4.2).
    case utf16
    case utf16LittleEndian
    case utf16BigEndian
    case utf32
    case utf32LittleEndian
    case utf32BigEndian

    /// The byte order mark of UTF-8.
    package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// - Parameter label: the value of a `charset` parameter, in any case; `nil` for what is not known.
    package init?(label: some StringProtocol) {
        switch label.lowercased().filter({ !" \t'\"".contains($0) }) {
        case "utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8": self = .utf8
        case "us-ascii", "ascii", "ansi_x3.4-1968": self = .ascii
        case "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1", "iso_8859-1:1987", "iso-ir-100", "csisolatin1",
            "latin1", "l1", "cp819", "ibm819", "windows-1252", "cp1252", "x-cp1252":
            self = .windows1252
        case "utf-16", "utf16", "unicode", "csunicode", "iso-10646-ucs-2", "ucs-2": self = .utf16
        case "utf-16le", "unicodefeff": self = .utf16LittleEndian
        case "utf-16be", "unicodefffe": self = .utf16BigEndian
        case "utf-32", "utf32": self = .utf32
        case "utf-32le": self = .utf32LittleEndian
        case "utf-32be": self = .utf32BigEndian
        default: return nil
        }
    }

    /// By the byte order mark at the beginning, which counts for more than any label (Encoding standard §6); `nil` without.
    package init?(markOf data: Data) {
        // Most text begins with none of their bytes.
        guard let first = data.first, first == 0 || first >= 0xEF else { return nil }
        if data.starts(with: Self.byteOrderMark) {
            self = .utf8
        } else if data.starts(with: [0, 0, 0xFE, 0xFF]) {
            self = .utf32BigEndian
        } else if data.starts(with: [0xFF, 0xFE, 0, 0]) {
            self = .utf32LittleEndian
        } else if data.starts(with: [0xFE, 0xFF]) {
            self = .utf16BigEndian
        } else if data.starts(with: [0xFF, 0xFE]) {
            self = .utf16LittleEndian
        } else {
            return nil
        }
    }

    /// The charset of JSON text, when its first bytes tell: by a byte order mark, or by the zeros beside two ASCII
    /// characters (RFC 4627 §3).
    package init?(ofJSON data: Data) {
        if let marked = TextCharset(markOf: data) {
            self = marked
            return
        }
        guard data.count >= 2 else { return nil }
        let head = data.withUnsafeBytes { ($0[0], $0[1], $0.count > 2 ? $0[2] : 1, $0.count > 3 ? $0[3] : 1) }
        switch head {
        case (0, 0, 0, 1...): self = .utf32BigEndian
        case (1..., 0, 0, 0): self = .utf32LittleEndian
        case (0, 1..., _, _): self = .utf16BigEndian
        case (1..., 0, _, _): self = .utf16LittleEndian
        default: return nil
        }
    }

    /// A text could not be read.
    package struct Unreadable: Error {
        package let reason: String
    }

    /// The text, in the charset that its byte order mark or `label` names; UTF-8 when neither does.
    package static func text(of data: Data, label: String?) throws(Unreadable) -> String {
        // The label itself is part of a field's value: no error shows it.
        guard let charset = TextCharset(markOf: data) ?? TextCharset(label: label ?? "utf-8") else {
            throw Unreadable(reason: "the charset of the body is not known")
        }
        guard let text = charset.decode(data) else {
            throw Unreadable(reason: "the body is not text in the charset \(charset)")
        }
        return text
    }

    /// The text without its byte order mark; `nil` when the bytes are not text in this charset.
    package func decode(_ data: Data) -> String? {
        switch self {
        case .utf8: String(validating: data.starts(with: Self.byteOrderMark) ? data.dropFirst(3) : data, as: UTF8.self)
        case .ascii: Self.utf8.decode(data) ?? Self.windows1252.decode(data)
        case .windows1252: String(String.UnicodeScalarView(data.lazy.map(Self.windows1252Scalar)))
        case .utf16:
            Self.utf16(data, isBigEndian: data.starts(with: [0xFE, 0xFF]))
        case .utf16LittleEndian: Self.utf16(data, isBigEndian: false)
        case .utf16BigEndian: Self.utf16(data, isBigEndian: true)
        case .utf32: Self.utf32(data, isBigEndian: data.starts(with: [0, 0, 0xFE, 0xFF]))
        case .utf32LittleEndian: Self.utf32(data, isBigEndian: false)
        case .utf32BigEndian: Self.utf32(data, isBigEndian: true)
        }
    }

    private static func utf16(_ data: Data, isBigEndian: Bool) -> String? {
        guard data.count.isMultiple(of: 2) else { return nil }
        var units: [UInt16] = []
        units.reserveCapacity(data.count / 2)
        var iterator = data.makeIterator()
        while let first = iterator.next(), let second = iterator.next() {
            units.append(isBigEndian ? UInt16(first) << 8 | UInt16(second) : UInt16(second) << 8 | UInt16(first))
        }
        return String(validating: units.first == 0xFEFF ? units[1...] : units[...], as: UTF16.self)
    }

    private static func utf32(_ data: Data, isBigEndian: Bool) -> String? {
        guard data.count.isMultiple(of: 4) else { return nil }
        var scalars = String.UnicodeScalarView()
        var value: UInt32 = 0
        for (offset, byte) in data.enumerated() {
            value = isBigEndian ? value << 8 | UInt32(byte) : value >> 8 | UInt32(byte) << 24
            guard offset & 3 == 3 else { continue }
            guard let scalar = Unicode.Scalar(value) else { return nil }
            if offset > 3 || value != 0xFEFF { scalars.append(scalar) }
        }
        return String(scalars)
    }

    private static func windows1252Scalar(_ byte: UInt8) -> Unicode.Scalar {
        guard byte >= 0x80, byte < 0xA0 else { return Unicode.Scalar(byte) }
        return Unicode.Scalar(upperHalf[Int(byte) - 0x80]) ?? Unicode.Scalar(byte)
    }

    /// Bytes 0x80 to 0x9F; those without a character stand for themselves.
    private static let upperHalf: [UInt16] = [
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
        0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x009D, 0x017E, 0x0178,
    ]
}
