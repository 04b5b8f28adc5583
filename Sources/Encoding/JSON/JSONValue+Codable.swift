// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Through any encoder and decoder. A decoder's dictionaries take names that are canonically equivalent for one, and an
/// object with two such names cannot be encoded. Here a number has at most the 38 digits of `Decimal`, since the protocols of
/// `Codable` hand over values, not text; ``JSONValue/init(parsing:)-(Data)`` and ``JSONValue/serialized()`` keep all. And
/// arrays and objects are decoded no deeper than 64, counted from the top of the text: a decoder takes kilobytes of stack for
/// each step, and time that grows with the square.
extension JSONValue: Codable {
    @_documentation(visibility: internal)
    public init(from decoder: any Decoder) throws {
        let single = try? decoder.singleValueContainer()
        // What is frequent comes first: a decoder says no by throwing.
        if let single, single.decodeNil() {
            self = .null
        } else if let text = try? single?.decode(String.self) {
            self = .string(text)
        } else if let single, (try? decoder.container(keyedBy: StringKey.self)) != nil {
            try Self.checkDepth(of: decoder)
            // As a dictionary, whose keys are data: no key strategy touches them.
            self = .object(JSONObject(try single.decode([String: JSONValue].self)))
        } else if var container = try? decoder.unkeyedContainer() {
            try Self.checkDepth(of: decoder)
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
        } else {
            self = try Self.scalar(in: try decoder.singleValueContainer())
        }
    }

    private static func checkDepth(of decoder: any Decoder) throws {
        let path = decoder.codingPath
        guard path.count < 64 else {
            throw DecodingError.dataCorrupted(.init(codingPath: path, debugDescription: "nested deeper than 64"))
        }
    }

    private static func scalar(in container: any SingleValueDecodingContainer) throws -> JSONValue {
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        // Not as an integer first: some decoders take 1.00000000000000000001 for one. A decimal is zero below 1e-128.
        if let value = try? container.decode(Decimal.self), let number = JSONNumber(value),
            (try? container.decode(Double.self)) == number.double
        {
            return .number(number)
        }
        if let value = try? container.decode(Int64.self) { return .number(JSONNumber(value)) }
        if let value = try? container.decode(UInt64.self) { return .number(JSONNumber(value)) }
        if let number = JSONNumber(try container.decode(Double.self)) { return .number(number) }
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "JSON has no such number")
    }

    @_documentation(visibility: internal)
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let number): try Self.encode(number, to: &container)
        case .string(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members.dictionary(at: container.codingPath))
        }
    }

    private static func encode(_ number: JSONNumber, to container: inout any SingleValueEncodingContainer) throws {
        if let value = number.integer(Int64.self) { return try container.encode(value) }
        if let value = number.integer(UInt64.self) { return try container.encode(value) }
        if let value = number.decimal { return try container.encode(value) }
        if JSONNumber(number.double) == number { return try container.encode(number.double) }
        throw EncodingError.invalid(
            number, at: container.codingPath,
            "a number has more digits than this encoder can write; serialized() writes them")
    }
}
