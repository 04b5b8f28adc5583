// SPDX-License-Identifier: Apache-2.0

/// `userID` and `user_id`, by the same rules as the key strategies of `JSONEncoder` and `JSONDecoder`.
enum KeyCase {
    /// A word ends before an upper-case letter; of several in a row the last begins the next word, if a lower-case one
    /// follows somewhere: `myURLValue` becomes `my_url_value`. Digits end no word.
    static func separated(_ key: String, by separator: Unicode.Scalar) -> String {
        let scalars = Array(key.unicodeScalars)
        guard !scalars.isEmpty else { return key }
        var wordStarts: ArraySlice<Int> = []
        var index = 1
        while let upper = scalars[index...].firstIndex(where: \.properties.isUppercase) {
            wordStarts.append(upper)
            guard let lower = scalars[upper...].firstIndex(where: \.properties.isLowercase) else { break }
            if lower > upper + 1 { wordStarts.append(lower - 1) }
            index = lower + 1
        }
        var output = ""
        for (index, scalar) in scalars.enumerated() {
            if index == wordStarts.first {
                wordStarts = wordStarts.dropFirst()
                output.unicodeScalars.append(separator)
            }
            output += scalar.properties.lowercaseMapping
        }
        return output
    }

    /// `user_id` becomes `userId`; separators at either end stay.
    ///
    /// - Parameter separator: of ASCII.
    static func camel(_ key: String, separatedBy separator: Unicode.Scalar = "_") -> String {
        let ascii = UInt8(ascii: separator)
        let bytes = Array(key.utf8)
        guard let first = bytes.firstIndex(where: { $0 != ascii }),
            let last = bytes.lastIndex(where: { $0 != ascii })
        else { return key }
        let words = String(decoding: bytes[first...last], as: UTF8.self).split(separator: Character(separator))
        guard words.count > 1 else { return key }
        let joined = words.dropFirst().map(capitalized).joined()
        return String(decoding: bytes[..<first], as: UTF8.self) + words[0].lowercased() + joined
            + String(decoding: bytes[(last + 1)...], as: UTF8.self)
    }

    /// The first letter, and each behind what is no letter, in upper case: `2x` becomes `2X`.
    private static func capitalized(_ word: Substring) -> String {
        var isInside = false
        var text = ""
        for scalar in word.unicodeScalars {
            let properties = scalar.properties
            if properties.isUppercase || properties.isLowercase {
                text += isInside ? properties.lowercaseMapping : properties.titlecaseMapping
                isInside = true
            } else {
                text.unicodeScalars.append(scalar)
                isInside = isInside && properties.isCaseIgnorable
            }
        }
        return text
    }
}
