// SPDX-License-Identifier: Apache-2.0

/// One range of bytes (RFC 9110 §14.1.2).
enum ByteRange {
    /// The part that is asked for, clipped to `total`; all of it when the field is missing, is of another unit or names
    /// several ranges (a server may ignore it, §14.2); `nil` when it cannot be satisfied.
    static func parse(_ field: String?, total: Int) -> Range<Int>? {
        let whole = 0..<total
        guard let field, let equals = field.firstIndex(of: "="), field[..<equals].lowercased() == "bytes" else {
            return whole
        }
        let halves = field[field.index(after: equals)...].split(separator: "-", omittingEmptySubsequences: false)
            .map { String($0).trimmingSpaces() }
        guard halves.count == 2 else { return whole }
        switch (number(halves[0]), number(halves[1])) {
        case (let first?, let last?):
            guard first <= last else { return whole }
            return first < total ? first..<(min(last, total - 1) + 1) : nil
        case (let first?, nil) where halves[1].isEmpty:
            return first < total ? first..<total : nil
        case (nil, let suffix?) where halves[0].isEmpty:
            return suffix > 0 ? max(0, total - suffix)..<total : nil
        default:
            return whole
        }
    }

    /// However many digits: what no body has is as good as the largest.
    private static func number(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text) ?? .max
    }
}
