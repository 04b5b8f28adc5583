// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension SecretSearch {
    /// Where credentials stand behind the name of their scheme, as in `Bearer a1b2` (RFC 6750 §2.1) and `Basic bWU6cHc=`
    /// (RFC 7617 §2): servers repeat them in messages and in lists of fields. In forms the blank is a `+`.
    static func credentials(in text: [UInt8]) -> [Range<Int>] {
        text.indices.compactMap { space in
            let isForm = text[space] == UInt8(ascii: "+")
            guard isForm || text[space] == UInt8(ascii: " "), let scheme = Scheme(endOf: text[..<space]) else {
                return nil
            }
            // A plus in it would be escaped there.
            let word = text[space...].drop { isForm ? $0 == text[space] : $0.isBlank }
                .prefix { isTokenCharacter($0) && !(isForm && $0 == text[space]) }
            let padding = text[word.endIndex...].prefix { $0 == UInt8(ascii: "=") }
            let end = padding.endIndex
            guard !isParameter(padding, before: text[end...]), scheme.isSecret(word, padding) else { return nil }
            return word.startIndex..<end
        }
    }

    private enum Scheme {
        case basic, bearer

        init?(endOf text: ArraySlice<UInt8>) {
            func ends(in name: StaticString) -> Bool {
                let count = name.utf8CodeUnitCount
                let word = text.suffix(count)
                guard word.count == count, name.withUTF8Buffer({ zip(word, $0).allSatisfy { $0 | 0x20 == $1 } }) else {
                    return false
                }
                return text.dropLast(count).last.map { !$0.isTokenCharacter || "'+".utf8.contains($0) } ?? true
            }
            if ends(in: "bearer") { self = .bearer } else if ends(in: "basic") { self = .basic } else { return nil }
        }

        /// Not the next word of a sentence.
        func isSecret(_ word: ArraySlice<UInt8>, _ padding: ArraySlice<UInt8>) -> Bool {
            switch self {
            case .bearer:
                word.count >= 16 || word.dropFirst().contains { !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            case .basic: Data(base64Encoded: Data(word + padding))?.contains(UInt8(ascii: ":")) == true
            }
        }
    }

    /// RFC 9110 §11.2: what a `token68` is made of.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "-._~+/".utf8.contains(byte)
    }

    /// Whether the word is the name of a challenge's parameter, as in `Bearer realm="x"`.
    private static func isParameter(_ padding: ArraySlice<UInt8>, before rest: ArraySlice<UInt8>) -> Bool {
        guard !padding.isEmpty, let next = rest.first else { return false }
        if next != UInt8(ascii: "\"") { return next.isTokenCharacter && next != UInt8(ascii: "'") }
        return rest.dropFirst().first.map { !$0.isWhitespace && !",:;)]}".utf8.contains($0) } ?? false
    }
}
