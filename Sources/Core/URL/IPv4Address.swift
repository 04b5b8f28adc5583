// SPDX-License-Identifier: Apache-2.0

/// The URL standard's IPv4 parser: one to four numbers, decimal, octal (`0…`) or hexadecimal (`0x…`).
struct IPv4Address {
    let value: UInt32

    init?(_ labels: [Substring]) {
        guard (1...4).contains(labels.count) else { return nil }
        var numbers: [UInt64] = []
        for label in labels {
            guard let number = Self.number(label) else { return nil }
            numbers.append(number)
        }
        let last = numbers.removeLast()
        guard numbers.allSatisfy({ $0 <= 255 }), last < 1 << UInt64(8 * (4 - numbers.count)) else { return nil }
        var value = last
        for (position, number) in numbers.enumerated() { value += number << UInt64(8 * (3 - position)) }
        guard let value = UInt32(exactly: value) else { return nil }
        self.value = value
    }

    static func number(_ text: Substring) -> UInt64? {
        guard !text.isEmpty else { return nil }
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            let digits = text.dropFirst(2)
            guard digits.utf8.allSatisfy({ $0.hexValue != nil }) else { return nil }
            // A number that is too large is still a number, and not a name.
            return digits.isEmpty ? 0 : UInt64(digits, radix: 16) ?? .max
        }
        guard text.utf8.allSatisfy(\.isDigit) else { return nil }
        if text.utf8.count > 1, text.utf8.first == 0x30 { return UInt64(text, radix: 8) }
        return UInt64(text)
    }

    var text: String { "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)" }
}
