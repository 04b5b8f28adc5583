// SPDX-License-Identifier: Apache-2.0

/// `userID` and `user_id`, by the same rules as the key strategies of `JSONEncoder` and `JSONDecoder`.
enum KeyCase {
    /// Words begin at an upper-case letter, and at the last one of several: `myURLValue` becomes `my_url_value`.
    static func separated(_ key: String, by separator: Unicode.Scalar) -> String {
        let scalars = Array(key.unicodeScalars)
        var output = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            let isUpper = scalar.properties.isUppercase
            if isUpper, index > 0 {
                let afterLower = !scalars[index - 1].properties.isUppercase && scalars[index - 1] != separator
                let beforeLower =
                    index + 1 < scalars.count && scalars[index + 1].properties.isLowercase
                    && scalars[index - 1] != separator
                if afterLower || beforeLower { output.append(separator) }
            }
            output.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
        }
        return String(output)
    }

    /// `user_id` becomes `userId`; separators at either end stay.
    static func camel(_ key: String, separator: Character = "_") -> String {
        guard let ascii = separator.asciiValue else { return key }
        let bytes = Array(key.utf8)
        guard let first = bytes.firstIndex(where: { $0 != ascii }),
            let last = bytes.lastIndex(where: { $0 != ascii })
        else { return key }
        let words = String(decoding: bytes[first...last], as: UTF8.self).split(separator: separator)
        guard words.count > 1 else { return key }
        let joined = words.dropFirst().reduce(words[0].lowercased()) {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst().lowercased()
        }
        return String(decoding: bytes[..<first], as: UTF8.self) + joined
            + String(decoding: bytes[(last + 1)...], as: UTF8.self)
    }
}
