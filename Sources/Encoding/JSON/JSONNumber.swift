// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A JSON number with every digit it was written with.
///
/// Two are equal when they mean the same number: `1`, `1.0` and `10e-1`.
public struct JSONNumber: Sendable {
    /// The number as it stands in the text (RFC 8259 §6).
    public let literal: String

    /// - Parameter literal: a number in JSON's notation; `nil` when it is not one.
    public init?(_ literal: String) {
        var scanner = JSONScanner(Array(literal.utf8))
        guard let range = try? scanner.skipNumber(), range == 0..<literal.utf8.count else { return nil }
        self.literal = literal
    }

    init(validated literal: String) { self.literal = literal }

    public init(_ value: some FixedWidthInteger) { literal = String(value) }

    /// `nil` for infinities and what is not a number: JSON has none.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        literal = Self.trimmed("\(value)")
    }

    public init?(_ value: Decimal) {
        guard !value.isNaN else { return nil }
        literal = "\(value)"
    }

    /// The text without a fraction of zero: Swift writes `5.0`.
    static func trimmed(_ text: String) -> String {
        text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension JSONNumber {
    /// The value as an integer type, when it is whole and fits: `1.0` and `1e2` are whole.
    public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
        if let value = Integer(literal) { return value }
        let parts = Canonical(literal)
        // 20 digits hold 64 bits, 40 hold 128; a larger exponent cannot fit and need not be written out.
        guard let exponent = Int(parts.exponent), (0...40).contains(exponent) else { return nil }
        return Integer((parts.isNegative ? "-" : "") + parts.digits + String(repeating: "0", count: exponent))
    }

    public var int: Int? { integer() }

    /// The nearest double; infinite when it is too large for one.
    public var double: Double { Double(literal) ?? .nan }

    /// `nil` when a decimal's 38 digits cannot hold it exactly.
    public var decimal: Decimal? {
        let parts = Canonical(literal)
        // Foundation reads no zero with a large exponent.
        if parts.digits == "0" { return 0 }
        guard parts.digits.utf8.count <= 38, let exponent = Int(parts.exponent), (-127...127).contains(exponent) else {
            return nil
        }
        return Decimal(string: literal)
    }
}

extension JSONNumber: Hashable, CustomStringConvertible {
    @_documentation(visibility: internal)
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        left.literal == right.literal || Canonical(left.literal) == Canonical(right.literal)
    }

    @_documentation(visibility: internal)
    public func hash(into hasher: inout Hasher) { hasher.combine(Canonical(literal)) }

    public var description: String { literal }
}

extension JSONNumber {
    /// Digits without zeros at either end, times ten to the power of the exponent.
    private struct Canonical: Hashable {
        var isNegative = false
        var digits: String
        /// A text, because an exponent may be too long for any integer type. Then it stays as written.
        var exponent: String

        init(_ literal: String) {
            var digits: [UInt8] = []
            var point: Int?
            var power = Substring("0")
            digits: for (offset, byte) in literal.utf8.enumerated() {
                switch byte {
                case UInt8(ascii: "-"): isNegative = true
                case UInt8(ascii: "."): point = digits.count
                case UInt8(ascii: "e"), UInt8(ascii: "E"):
                    power = literal.dropFirst(offset + 1)
                    break digits
                default: digits.append(byte)
                }
            }
            var scale = digits.count - (point ?? digits.count)
            while digits.last == UInt8(ascii: "0") {
                digits.removeLast()
                scale -= 1
            }
            let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
            digits.removeFirst(leading)
            self.digits = digits.isEmpty ? "0" : String(decoding: digits, as: UTF8.self)
            if digits.isEmpty {
                isNegative = false
                exponent = "0"
            } else if let value = Int(power), case (let sum, let overflow) = value.subtractingReportingOverflow(scale),
                !overflow
            {
                exponent = String(sum)
            } else {
                exponent = "\(power)-\(scale)"
            }
        }
    }
}
