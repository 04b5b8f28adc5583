// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Any JSON text as a value: for bodies whose shape is not known when the program is written.
///
///     let body: JSONValue = ["name": "Ada", "tags": ["a", "b"], "age": 36]
///     let answer = try JSONValue(parsing: data)
///     answer["items"]?[0]?["name"]?.string
///
/// Numbers keep every digit. Of a key that occurs twice in an object the first counts, as for `JSONDecoder`. Texts and keys
/// are equal when their bytes are.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue: Hashable {
    @_documentation(visibility: internal)
    public static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): ExactText(one) == ExactText(other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }

    @_documentation(visibility: internal)
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let number): hasher.combine(number)
        case .string(let text): hasher.combine(ExactText(text))
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members)
        }
    }
}

extension JSONValue {
    public var isNull: Bool { self == .null }

    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    public var string: String? { if case .string(let value) = self { value } else { nil } }

    public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }

    /// `nil` also for a number that is not whole or does not fit.
    public var int: Int? { number?.int }

    public var double: Double? { number?.double }

    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The member of an object; `nil` when there is none or this is no object.
    public subscript(key: String) -> JSONValue? { object?[key] }

    /// The element of an array; `nil` when there is none or this is no array.
    public subscript(index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// The value at a key path; `nil` when a step leads nowhere.
    public subscript(path path: JSONKeyPath) -> JSONValue? {
        var value: JSONValue? = self
        for step in path.steps {
            switch step {
            case .index(let index): value = value?[index]
            case .name(let name):
                value = if case .array = value { step.index.flatMap { value?[$0] } } else { value?[name] }
            }
        }
        return value
    }
}

extension JSONValue {
    /// This value as a model.
    ///
    /// - Throws: `DecodingError`.
    public func decode<Model: Decodable>(
        _ type: Model.Type = Model.self, using decoder: JSONDecoder = JSONDecoder()
    ) throws -> Model {
        try decoder.decodeReceived(type, from: serialized())
    }

    /// JSON text with the keys of every object in the order of their bytes, so that equal values give equal texts.
    public func serialized() -> Data {
        var output: [UInt8] = []
        JSONWriter.append(self, to: &output)
        return Data(output)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The JSON text.
    public var description: String { String(decoding: serialized(), as: UTF8.self) }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    @_documentation(visibility: internal)
    public init(nilLiteral: ()) { self = .null }
    @_documentation(visibility: internal)
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    @_documentation(visibility: internal)
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    /// `.null` for a literal beyond the range of `Double`.
    @_documentation(visibility: internal)
    public init(floatLiteral value: Double) { self = JSONNumber(value).map { .number($0) } ?? .null }
    @_documentation(visibility: internal)
    public init(stringLiteral value: String) { self = .string(value) }
    @_documentation(visibility: internal)
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Of equal keys the last counts.
    @_documentation(visibility: internal)
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements))
    }
}
