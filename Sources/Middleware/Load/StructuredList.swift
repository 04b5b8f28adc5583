// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// A list, or a dictionary, of structured fields (RFC 9651): items with parameters. Inner lists, which no field that is read here
/// has, count as malformed, and so do more than ``most`` items: a server has a handful.
struct StructuredList {
    enum Value: Hashable {
        case integer(Int)
        case decimal(Double)
        /// A string or a token.
        case text(String)
        case boolean(Bool)
        /// Bytes, a date or a display string: what is read here has no use for them.
        case other
    }

    struct Item {
        /// The name of a member of a dictionary.
        var key: String?
        var value: Value
        var parameters: [String: Value] = [:]

        func integer(_ parameter: String) -> Int? {
            if case .integer(let number) = parameters[parameter] { number } else { nil }
        }
    }

    static let most = 64

    /// - Returns: `nil` for what is malformed: the whole field then counts as absent (RFC 9651 §4.2).
    static func items(of text: String) -> [Item]? { read(text, isDictionary: false) }

    /// Of members with one name the last counts (§4.2.2).
    static func members(of text: String) -> [Item]? { read(text, isDictionary: true) }

    private static func read(_ text: String, isDictionary: Bool) -> [Item]? {
        var reader = FieldReader(Array(text.utf8))
        var items: [Item] = []
        reader.skipBlanks()
        while !reader.isAtEnd {
            guard let item = isDictionary ? reader.structuredMember() : reader.structuredItem() else { return nil }
            if isDictionary { items.removeAll { $0.key == item.key } }
            items.append(item)
            if items.count > most { return nil }
            reader.skipBlanks()
            if reader.isAtEnd { return items }
            guard reader.consume(UInt8(ascii: ",")) else { return nil }
            reader.skipBlanks()
            if reader.isAtEnd { return nil }
        }
        return items
    }
}

extension FieldReader {
    fileprivate mutating func structuredMember() -> StructuredList.Item? {
        guard let key = structuredKey() else { return nil }
        guard consume(UInt8(ascii: "=")) else {
            return structuredParameters().map { .init(key: key, value: .boolean(true), parameters: $0) }
        }
        guard var item = structuredItem() else { return nil }
        item.key = key
        return item
    }

    fileprivate mutating func structuredItem() -> StructuredList.Item? {
        guard let value = structuredValue(), let parameters = structuredParameters() else { return nil }
        return .init(value: value, parameters: parameters)
    }

    private mutating func structuredParameters() -> [String: StructuredList.Value]? {
        var parameters: [String: StructuredList.Value] = [:]
        while consume(UInt8(ascii: ";")) {
            _ = read { $0 == UInt8(ascii: " ") }
            guard let key = structuredKey() else { return nil }
            guard consume(UInt8(ascii: "=")) else {
                parameters[key] = .boolean(true)
                continue
            }
            guard let value = structuredValue() else { return nil }
            parameters[key] = value
        }
        return parameters
    }

    /// §4.2.3.3.
    private mutating func structuredKey() -> String? {
        guard let first = peek(), first == UInt8(ascii: "*") || (0x61...0x7a).contains(first) else { return nil }
        let key = read {
            (0x61...0x7a).contains($0) || $0.isDigit || [0x5f, 0x2d, 0x2e, 0x2a].contains($0)
        }
        return String(decoding: key, as: UTF8.self)
    }

    private mutating func structuredValue() -> StructuredList.Value? {
        switch peek() {
        case UInt8(ascii: "\"")?:
            return quotedString(mayBeCutOff: false).map { .text(String(decoding: $0, as: UTF8.self)) }
        case UInt8(ascii: "?")?:
            position += 1
            if consume(UInt8(ascii: "1")) { return .boolean(true) }
            return consume(UInt8(ascii: "0")) ? .boolean(false) : nil
        case UInt8(ascii: ":")?:
            position += 1
            _ = read { $0 != UInt8(ascii: ":") }
            return consume(UInt8(ascii: ":")) ? .other : nil
        case UInt8(ascii: "@")?:
            position += 1
            return structuredNumber() == nil ? nil : .other
        case UInt8(ascii: "%")?:
            position += 1
            return quotedString(mayBeCutOff: false) == nil ? nil : .other
        case let byte? where byte.isDigit || byte == UInt8(ascii: "-"): return structuredNumber()
        case let byte? where byte.isLetter || byte == UInt8(ascii: "*"):
            let token = read { $0.isTokenCharacter || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
            return .text(String(decoding: token, as: UTF8.self))
        default: return nil
        }
    }

    /// At most 15 digits, or 12 before a point and 3 behind it (§4.2.4).
    private mutating func structuredNumber() -> StructuredList.Value? {
        let isNegative = consume(UInt8(ascii: "-"))
        let whole = String(decoding: read(while: \.isDigit), as: UTF8.self)
        guard !whole.isEmpty, whole.count <= 15 else { return nil }
        guard consume(UInt8(ascii: ".")) else { return Int(whole).map { .integer(isNegative ? -$0 : $0) } }
        let fraction = String(decoding: read(while: \.isDigit), as: UTF8.self)
        guard whole.count <= 12, (1...3).contains(fraction.count), let number = Double("\(whole).\(fraction)") else {
            return nil
        }
        return .decimal(isNegative ? -number : number)
    }
}
