// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension JSONDecoder {
    /// Decodes JSON that came from outside of the program and may hold anything, in UTF-8, UTF-16 or UTF-32.
    package func decodeReceived<Model: Decodable>(_ type: Model.Type, from data: Data) throws -> Model {
        var text = data
        if let charset = TextCharset(ofJSON: data), charset != .utf8 {
            guard let decoded = charset.decode(data) else { throw Self.refusal("The text is not in \(charset)") }
            text = Data(decoded.utf8)
        }
        return try decodeText(type, from: text)
    }

    /// The same for text in UTF-8.
    package func decodeText<Model: Decodable>(_ type: Model.Type, from text: Data) throws -> Model {
        try decode(type, from: harmless(text))
    }

    /// The same text, made safe for the `JSONDecoder` of swift-foundation (6.3), which reads beyond the end of some
    /// texts and ends the process at others.
    ///
    /// - Parameter text: in UTF-8. What looks like another encoding is refused: it would be converted a second time, without
    ///   regard to what is missing at its end.
    /// - Throws: `DecodingError.dataCorrupted` for a text at which it ends the process.
    package func harmless(_ text: Data) throws -> Data {
        try refuseWhatIsFatal(text)
        // When a number ends the text, the decoder reads on in the memory behind it.
        guard allowsJSON5 || assumesTopLevelDictionary else { return text }
        return text + [UInt8(ascii: " ")]
    }

    private func refuseWhatIsFatal(_ text: Data) throws {
        let isJSON5 = allowsJSON5
        let reason: String? = text.withUnsafeBytes { text in
            if text.prefix(4).contains(where: { $0 == 0 || $0 >= 0xFE }) { return "The text is not UTF-8" }
            if isJSON5 {
                // These bytes, which UTF-8 does not have, are fatal in a name without quotes.
                if text.contains(where: { $0 >= 0xF8 }) { return "The text is not UTF-8" }
                let isFatal = text.hasNumber(isJSON5: true) { FatalNumber.is($0) || FatalNumber.isInJSON5($0) }
                return isFatal ? "A number of JSON5 that cannot be read" : nil
            }
            if text.isCutOffInArray { return "Unexpected end of file" }
            let isFatal = FatalNumber.mayBe(in: text) && text.hasNumber(isJSON5: false, where: FatalNumber.is)
            return isFatal ? "A whole number with more than \(FatalNumber.length) characters" : nil
        }
        if let reason { throw Self.refusal(reason) }
    }

    private static func refusal(_ reason: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: reason))
    }
}

extension UnsafeRawBufferPointer {
    /// Whether nothing but white space follows the bracket that opens an array, which is fatal where it is the 513th.
    fileprivate var isCutOffInArray: Bool {
        last { !$0.isWhitespace } == UInt8(ascii: "[")
    }

    /// Whether `isSuch` holds for a number outside of the strings and comments of JSON and JSON5.
    fileprivate func hasNumber(isJSON5: Bool, where isSuch: ([UInt8]) -> Bool) -> Bool {
        var index = 0
        func skip(to end: (Int) -> Bool) {
            while index < count, !end(index) { index += 1 }
        }
        // As many bytes as Foundation passes over, whatever they are: it looks at them when the value is decoded.
        func skipString(to quote: UInt8) {
            while index < count, self[index] != quote {
                switch (self[index], index + 1 < count ? self[index + 1] : 0) {
                case (UInt8(ascii: "\\"), UInt8(ascii: "u")): index += 6
                case (UInt8(ascii: "\\"), UInt8(ascii: "x")) where isJSON5: index += 4
                case (UInt8(ascii: "\\"), _): index += 2
                default: index += 1
                }
            }
            index += 1
        }
        while index < count {
            let start = index
            let byte = self[start]
            index += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                skipString(to: byte)
            case UInt8(ascii: "/") where index < count && self[index] == UInt8(ascii: "/"):
                skip(to: { self[$0] == 0x0A || self[$0] == 0x0D })
            case UInt8(ascii: "/") where index < count && self[index] == UInt8(ascii: "*"):
                index += 1
                skip(to: { self[$0] == UInt8(ascii: "/") && self[$0 - 1] == UInt8(ascii: "*") && $0 > start + 2 })
                index += 1
            case _ where byte.isPartOfName:
                skip(to: { !self[$0].isPartOfName && !self[$0].isDigit })
            case _ where FatalNumber.isMade(of: byte):
                skip(to: { !FatalNumber.isMade(of: self[$0]) && !self[$0].isLetter })
                if isSuch(Array(self[start..<index])) { return true }
            default: break
            }
        }
        return false
    }
}

extension UInt8 {
    /// Whether the byte can be in a name without quotes or in a word such as `true` or `null`. Digits are left out.
    fileprivate var isPartOfName: Bool { isLetter || self == UInt8(ascii: "_") || self == UInt8(ascii: "$") }
}

/// Numbers that end the process when the `JSONDecoder` of swift-foundation (6.3) decodes them.
private enum FatalNumber {
    /// The shortest of plain JSON has 135 characters.
    static let length = 128

    static func isMade(of byte: UInt8) -> Bool {
        byte.isDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E")
    }

    /// Whether the number has so many characters that `Decimal` cannot hold its exponent, and a value that fits into an
    /// integer type but that `Double` cannot tell from its neighbours. Decoding it as an integer is fatal.
    static func `is`(_ token: [UInt8]) -> Bool {
        guard token.count > length, let value = Double(String(decoding: token, as: UTF8.self))?.magnitude else {
            return false
        }
        return value >= 0x1p53 && value <= 0x1p128 && value == value.rounded()
    }

    /// An exponent without digits; a hexadecimal number with something else among its digits, or with a value that is too
    /// small for an integer by so little that `Double` does not tell.
    static func isInJSON5(_ token: [UInt8]) -> Bool {
        let digits = token.drop { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
        if digits.first == UInt8(ascii: "0"), digits.dropFirst().first.map({ $0 | 0x20 }) == UInt8(ascii: "x") {
            let value = digits.dropFirst(2).drop { $0 == UInt8(ascii: "0") }
            if value.contains(where: { $0.hexValue == nil }) { return true }
            return token.first == UInt8(ascii: "-") && (value.count == 16 || value.count == 32)
                && value.first == UInt8(ascii: "8") && value.dropFirst().contains { $0 != UInt8(ascii: "0") }
        }
        guard let sign = digits.last, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return false }
        return digits.dropLast().last.map { $0 | 0x20 } == UInt8(ascii: "e")
    }

    /// A quick look at every 64th byte: two in a row are part of any that is there, and all between them.
    static func mayBe(in text: UnsafeRawBufferPointer) -> Bool {
        var wasPart = false
        for index in stride(from: 0, to: text.count, by: length / 2) {
            let isPart = isMade(of: text[index])
            if isPart, wasPart, text[(index - length / 2)..<index].allSatisfy(isMade) { return true }
            wasPart = isPart
        }
        return false
    }
}
