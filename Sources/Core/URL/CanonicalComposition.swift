// SPDX-License-Identifier: Apache-2.0

/// Unicode's Normalization Form C (UAX #15), as far as it goes with what the standard library knows of Unicode: there are the
/// combining classes, and texts compare by canonical equivalence.
enum CanonicalComposition {
    /// `nil` when the label is not in NFC and cannot be brought into it here, or is too long to be one.
    static func composed(_ label: Substring) -> String? {
        // RFC 1035 §2.3.4: 63 octets; no letter decomposes into more than four.
        guard label.unicodeScalars.prefix(253).count <= 252 else { return nil }
        var result: [Unicode.Scalar] = []
        var starter: Int?
        for scalar in inCanonicalOrder(label) {
            guard !scalar.properties.isFullCompositionExclusion else { return nil }
            let order = combiningClass(scalar)
            if let index = starter, let last = result.last {
                let between = combiningClass(last)
                // Else a mark between the two keeps them apart.
                let isNext = index == result.count - 1 || between > 0 && between < order
                if isNext, let whole = pair(result[index], scalar) {
                    result[index] = whole
                    continue
                }
                // The letter may hold a mark that belongs behind this one, which cannot be seen.
                if (1..<230).contains(order), mayHoldMarks(result[index]) { return nil }
            }
            if order == 0 { starter = result.count }
            result.append(scalar)
        }
        return String(String.UnicodeScalarView(result))
    }

    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func combiningClass(_ scalar: Unicode.Scalar) -> UInt8 {
        scalar.properties.canonicalCombiningClass.rawValue
    }

    /// Marks that follow each other, by their classes.
    private static func inCanonicalOrder(_ label: Substring) -> [Unicode.Scalar] {
        var scalars = Array(label.unicodeScalars)
        for start in scalars.indices {
            let order = combiningClass(scalars[start])
            var index = start
            while order > 0, index > 0, combiningClass(scalars[index - 1]) > order {
                scalars.swapAt(index - 1, index)
                index -= 1
            }
        }
        return scalars
    }

    private static func pair(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
        switch (first.value, second.value) {
        case (0x1100...0x1112, 0x1161...0x1175):
            Unicode.Scalar(0xac00 + ((first.value - 0x1100) * 21 + second.value - 0x1161) * 28)
        case (0xac00...0xd7a3, 0x11a8...0x11c2) where (first.value - 0xac00) % 28 == 0:
            Unicode.Scalar(first.value + second.value - 0x11a7)
        // Outside of Hangul what is added to a letter is always a mark.
        case _ where isMark(second): letters[String(String.UnicodeScalarView([first, second]))]
        default: nil
        }
    }

    /// Letters and vowel signs by what they are canonically equivalent to, which is how texts compare: all blocks that have
    /// letters that are composed.
    private static let letters: [String: Unicode.Scalar] = {
        let blocks: [ClosedRange<UInt32>] = [0xc0...0x1fff, 0x3040...0x30ff, 0x11000...0x11fff]
        let letters = blocks.joined().compactMap(Unicode.Scalar.init).filter {
            $0.properties.isAlphabetic && !$0.properties.isFullCompositionExclusion
        }
        return Dictionary(letters.map { (String($0), $0) }) { first, _ in first }
    }()

    /// Of Latin, Greek and Cyrillic, where letters have marks above and below.
    private static func mayHoldMarks(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xc0...0x24f, 0x370...0x52f, 0x1e00...0x1fff: true
        default: false
        }
    }
}
