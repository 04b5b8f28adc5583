// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body that is text but for some bytes: those that are not UTF-8, and control characters. In the search for secrets, characters
/// that mean nothing stand in their place, so that they hide nothing.
struct MaskableText {
    /// UTF-8 without control characters.
    let visible: Data
    /// Whether it has so many bytes of both sorts that it is no text at all, whatever it was declared as. Text in an old encoding
    /// has none of the second, and text with the colours of a terminal none of the first.
    let isBinary: Bool
    private let hasPlaceholders: Bool

    /// Of a plane for private use: U+F0000 and so on, for each byte one.
    private static let plane: UInt32 = 0xF0000

    /// What stands in UTF-16 or UTF-32; `nil` for other bytes.
    static func wideText(_ data: Data) -> String? {
        guard let charset = TextCharset(ofJSON: data), charset != .utf8 else { return nil }
        return charset.decode(data)
    }

    init(_ data: Data) {
        if Redaction.isText(data), String(validating: data, as: UTF8.self) != nil, !data.contains(0xF3) {
            (visible, hasPlaceholders, isBinary) = (data, false, false)
            return
        }
        var (controls, strays) = (0, 0)
        var output = Data(capacity: data.count)
        var bytes = [UInt8](data)[...]
        while let first = bytes.first {
            let length = Self.lengthOfCharacter(first)
            let character = bytes.prefix(length)
            let isKept =
                first >= 0x20 && character.count == length && first != 0xF3
                && String(validating: character, as: UTF8.self) != nil || first == 0x09 || first == 0x0A
                || first == 0x0D
            if isKept {
                output.append(contentsOf: character)
                bytes = bytes.dropFirst(length)
            } else {
                if first < 0x20 { controls += 1 } else { strays += 1 }
                if let scalar = Unicode.Scalar(Self.plane + UInt32(first)) { output.append(contentsOf: scalar.utf8) }
                bytes = bytes.dropFirst()
            }
        }
        (visible, hasPlaceholders) = (output, true)
        isBinary = controls * 32 > data.count && strays * 8 > data.count
    }

    func restored(_ text: String) -> Data {
        guard hasPlaceholders else { return Data(text.utf8) }
        var output = Data(capacity: text.utf8.count)
        for scalar in text.unicodeScalars {
            if (Self.plane..<Self.plane + 0x100).contains(scalar.value) {
                output.append(UInt8(scalar.value - Self.plane))
            } else {
                output.append(contentsOf: scalar.utf8)
            }
        }
        return output
    }

    private static func lengthOfCharacter(_ first: UInt8) -> Int {
        switch first {
        case ..<0xC0: 1
        case ..<0xE0: 2
        case ..<0xF0: 3
        default: 4
        }
    }

    /// Whether a media type is one of text.
    static func isText(_ contentType: String?) -> Bool {
        guard let type = HTTPFields.essence(of: contentType) else { return false }
        return type.hasPrefix("text/") || type.hasPrefix("multipart/") || type.hasPrefix("message/")
            || ["json", "xml", "yaml", "javascript", "x-www-form-urlencoded", "graphql", "jwt", "csv"].contains {
                type.contains($0)
            }
    }
}
