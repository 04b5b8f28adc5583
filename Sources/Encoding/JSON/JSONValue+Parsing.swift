// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JSONValue {
    /// How deep arrays and objects may stand in one another where the whole text is a ``JSONValue``: 512, as for
    /// `JSONDecoder`. Inside a model, where a decoder hands them over, it is 64, counted from the top of the text.
    package static let maximumDepth = 512

    /// Reads a whole JSON text (RFC 8259), in UTF-8.
    ///
    /// - Throws: `DecodingError.dataCorrupted`, which says at which byte the text stops being JSON.
    public init(parsing data: Data) throws {
        var scanner = JSONScanner([UInt8](data))
        do {
            self = try Self.parse(&scanner)
            try scanner.expectEnd()
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "not JSON: \(error.reason) (byte \(error.offset))"))
        }
    }

    public init(parsing text: String) throws { try self.init(parsing: Data(text.utf8)) }

    /// Whether a whole text is read as this type, or an optional of it.
    static func isRead(as type: any Any.Type) -> Bool { type == JSONValue.self || type == JSONValue?.self }

    /// The whole text as one of these types: for an optional `null` is `nil`.
    static func parsed<Model>(as type: Model.Type, _ data: Data) throws -> Model {
        let value = try JSONValue(parsing: data)
        let none = value.isNull ? (type as? any OptionalType.Type)?.absent : nil
        return try ModelDecoding.model(none ?? value as Any)
    }

    static func parse(_ scanner: inout JSONScanner, depth: Int = 0) throws(JSONScanner.Failure) -> JSONValue {
        switch try scanner.peekKind() {
        case .null:
            try scanner.skipLiteral("null")
            return .null
        case .bool:
            let value = scanner.peek() == UInt8(ascii: "t")
            try scanner.skipLiteral(value ? "true" : "false")
            return .bool(value)
        case .number:
            let range = try scanner.skipNumber()
            return .number(JSONNumber(validated: String(decoding: scanner.bytes[range], as: UTF8.self)))
        case .string: return .string(try scanner.text(in: try scanner.skipString()))
        case .array: return .array(try parseArray(&scanner, depth: depth + 1))
        case .object: return .object(try parseObject(&scanner, depth: depth + 1))
        }
    }

    private static func parseArray(
        _ scanner: inout JSONScanner, depth: Int
    ) throws(JSONScanner.Failure) -> [JSONValue] {
        guard depth <= maximumDepth else { throw scanner.failure("nested deeper than \(maximumDepth)") }
        var elements: [JSONValue] = []
        try scanner.expect(UInt8(ascii: "["))
        if scanner.consume(UInt8(ascii: "]")) { return [] }
        repeat { elements.append(try parse(&scanner, depth: depth)) } while scanner.consume(UInt8(ascii: ","))
        try scanner.expect(UInt8(ascii: "]"))
        return elements
    }

    private static func parseObject(
        _ scanner: inout JSONScanner, depth: Int
    ) throws(JSONScanner.Failure) -> JSONObject {
        guard depth <= maximumDepth else { throw scanner.failure("nested deeper than \(maximumDepth)") }
        var members = JSONObject()
        try scanner.expect(UInt8(ascii: "{"))
        if scanner.consume(UInt8(ascii: "}")) { return [:] }
        repeat {
            let key = try scanner.text(in: try scanner.skipKey())
            let value = try parse(&scanner, depth: depth)
            if members[key] == nil { members[key] = value }
        } while scanner.consume(UInt8(ascii: ","))
        try scanner.expect(UInt8(ascii: "}"))
        return members
    }
}
