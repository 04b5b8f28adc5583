// SPDX-License-Identifier: Apache-2.0

/// Unicode's Normalization Form C (UAX #15), as far as it goes with what the standard library knows of Unicode: there are the
/// combining classes, and texts compare by canonical equivalence.
enum CanonicalComposition {
    /// - Parameter label: in lower case.
    /// - Returns: `nil` when the label cannot be brought into NFC here, or is too long to be one.
    static func composed(_ label: Substring) -> String? {
        // RFC 1035 §2.3.4: 63 octets; no letter decomposes into more than four.
        guard label.unicodeScalars.prefix(253).count <= 252, let scalars = opened(label) else { return nil }
        var result: [Unicode.Scalar] = []
        var starter: Int?
        for scalar in inCanonicalOrder(scalars) {
            let order = combiningClass(scalar)
            if let index = starter, let last = result.last {
                let between = combiningClass(last)
                // Otherwise a mark between the two keeps them from being composed.
                let isNext = index == result.count - 1 || between > 0 && between < order
                if isNext, let whole = pair(result[index], scalar) {
                    result[index] = whole
                    continue
                }
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

    // MARK: - Decomposition

    /// The label with its letters taken apart where that makes a difference. `nil` when one cannot be.
    private static func opened(_ label: Substring) -> [Unicode.Scalar]? {
        // Marks of these classes come before the marks that a letter may be composed with.
        let isOpened = label.unicodeScalars.contains { (1..<230).contains(combiningClass($0)) }
        var result: [Unicode.Scalar] = []
        for scalar in label.unicodeScalars {
            if scalar.properties.isFullCompositionExclusion {
                guard let other = withoutExclusion(scalar) else { return nil }
                result += other
            } else if isOpened, holdsMarks(scalar) {
                open(scalar, into: &result)
            } else {
                result.append(scalar)
            }
        }
        return result
    }

    private static func open(_ scalar: Unicode.Scalar, into result: inout [Unicode.Scalar]) {
        guard let (letter, mark) = parts[scalar] else { return result.append(scalar) }
        open(letter, into: &result)
        result.append(mark)
    }

    /// What stands in NFC for a letter that is never composed: another letter, or one of an Indian script with the dot below.
    private static func withoutExclusion(_ scalar: Unicode.Scalar) -> [Unicode.Scalar]? {
        if let letter = letters[String(scalar)] { return [letter] }
        // The dot has the same place in the block of each of these scripts.
        let block = scalar.value & ~0x7f
        guard (0x900..<0xb80).contains(block), let dot = Unicode.Scalar(block + 0x3c) else { return nil }
        let candidates = (block..<block + 0x80).compactMap(Unicode.Scalar.init)
        return candidates.map { [$0, dot] }.first { String(String.UnicodeScalarView($0)) == String(scalar) }
    }

    /// Letters of Latin, Greek, Cyrillic and Arabic, which have marks above as well as below.
    private static func holdsMarks(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xc0...0x24f, 0x370...0x52f, 0x622...0x626, 0x1e00...0x1fff: true
        default: false
        }
    }

    /// Of such letters, which are small in a label, the letter and the last mark that they are made of.
    private static let parts: [Unicode.Scalar: (letter: Unicode.Scalar, mark: Unicode.Scalar)] = {
        var parts: [Unicode.Scalar: (letter: Unicode.Scalar, mark: Unicode.Scalar)] = [:]
        func note(_ bases: [Unicode.Scalar], _ marks: ClosedRange<UInt32>) {
            for letter in bases {
                for mark in marks.compactMap(Unicode.Scalar.init) where !mark.properties.isFullCompositionExclusion {
                    if let whole = pair(letter, mark) { parts[whole] = (letter, mark) }
                }
            }
        }
        let ascii = (0x61...0x7a).compactMap(Unicode.Scalar.init)
        note(ascii + letters.values.filter { holdsMarks($0) && $0.properties.isLowercase }, 0x300...0x345)
        note([0x627, 0x648, 0x64a].compactMap(Unicode.Scalar.init), 0x653...0x655)
        return parts
    }()

    // MARK: - Order and composition

    private static func combiningClass(_ scalar: Unicode.Scalar) -> UInt8 {
        scalar.properties.canonicalCombiningClass.rawValue
    }

    /// Marks that follow each other, by their classes.
    private static func inCanonicalOrder(_ label: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var scalars = label
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
}
