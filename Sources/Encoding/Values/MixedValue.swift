// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value of any type, such as `[String: Any]`, on its way to an encoder.
///
/// What only an encoder can turn into JSON, a `Date` or a model, stays as it is until one meets it, so that its own
/// strategies hold.
package enum MixedValue {
    /// JSON all through.
    case json(JSONValue)
    case model(any Encodable)
    /// An array, or an object, with a model somewhere in it.
    case array([MixedValue])
    case object([String: MixedValue])

    /// - Parameter path: where the value stands, for the error.
    /// - Throws: `EncodingError.invalidValue` with the path of the first value that JSON cannot hold.
    package init(_ value: Any, path: [any CodingKey] = []) throws {
        self = try Self.converted(value, path)
    }

    /// What an encoder is given. JSON alone goes as a ``JSONValue``, which keeps every digit and sorts its keys.
    package var encodable: any Encodable {
        switch self {
        case .json(let value): value
        case .model(let model): model
        case .array, .object: self
        }
    }
}

extension MixedValue: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .json(let value): try container.encode(value)
        case .model(let model): try container.encode(model)
        case .array(let elements): try container.encode(elements)
        // As a dictionary, whose keys are data: no key strategy touches them.
        case .object(let members): try container.encode(members)
        }
    }
}

extension MixedValue {
    /// As JSON: the models through an encoder.
    func encoded(by encoder: JSONEncoder, path: [any CodingKey] = []) throws -> JSONValue {
        switch self {
        case .json(let value): return value
        case .model(let model): return try Self.encode(model, encoder, path)
        case .array(let elements):
            return .array(
                try elements.enumerated().map { index, element in
                    try element.encoded(by: encoder, path: path + [Self.key(index)])
                })
        case .object(let members):
            var result = JSONObject()
            for (key, member) in members {
                result[key] = try member.encoded(by: encoder, path: path + [StringKey(key)])
            }
            return .object(result)
        }
    }

    private static func encode(
        _ model: any Encodable, _ encoder: JSONEncoder, _ path: [any CodingKey]
    ) throws -> JSONValue {
        do {
            return try JSONValue(parsing: encoder.text(of: model))
        } catch let error as EncodingError {
            throw error.inside(path)
        }
    }
}

// MARK: From any type

extension MixedValue {
    private static func converted(_ value: Any, _ path: [any CodingKey]) throws -> MixedValue {
        guard path.count <= JSONValue.maximumDepth else {
            throw EncodingError.invalid(value, at: path, "nested deeper than \(JSONValue.maximumDepth)")
        }
        switch value {
        case let value as JSONValue: return .json(value)
        case let value as any OptionalType:
            return try value.wrappedValue.map { try converted($0, path) } ?? .json(.null)
        // Objects of Foundation can be cast to several Swift types. Their class tells which one they hold.
        case _ where type(of: value) is AnyClass: return try converted(object: value, path)
        case let value as any StringProtocol: return .json(.string(String(value)))
        case let value as Bool: return .json(.bool(value))
        case let value as any FixedWidthInteger: return .json(.number(JSONNumber(value)))
        case let value as Double: return try number(JSONNumber(value), value, path)
        case let value as Float: return try number(JSONNumber("\(value)"), value, path)
        case let value as Decimal: return try number(JSONNumber(value), value, path)
        case let value as [String: Any]: return try converted(members: value, path)
        case let value as [Any]: return try converted(elements: value, path)
        case let value as any Encodable: return .model(value)
        default: throw EncodingError.invalid(value, at: path, "JSON cannot hold a \(type(of: value))")
        }
    }

    /// `NSNumber`, `NSString`, `NSNull`, `NSArray`, `NSDictionary`, which FoundationEssentials cannot name; and classes
    /// of the app that are `Encodable`.
    private static func converted(object: Any, _ path: [any CodingKey]) throws -> MixedValue {
        if let value = object as? any Encodable { return .model(value) }
        let name = "\(type(of: object))"
        if name == "NSNull" { return .json(.null) }
        if name.hasSuffix("Boolean"), let value = object as? Bool { return .json(.bool(value)) }
        if let value = object as? String { return .json(.string(value)) }
        if name == "NSDecimalNumber", let value = object as? Decimal {
            return try number(JSONNumber(value), object, path)
        }
        if let value = object as? Int64 { return .json(.number(JSONNumber(value))) }
        if let value = object as? UInt64 { return .json(.number(JSONNumber(value))) }
        if let value = object as? Double { return try number(JSONNumber(value), object, path) }
        if let value = object as? [String: Any] { return try converted(members: value, path) }
        if let value = object as? [Any] { return try converted(elements: value, path) }
        throw EncodingError.invalid(object, at: path, "JSON cannot hold a \(name)")
    }

    private static func converted(members: [String: Any], _ path: [any CodingKey]) throws -> MixedValue {
        var values: [String: MixedValue] = [:]
        values.reserveCapacity(members.count)
        for (key, value) in members { values[key] = try converted(value, path + [StringKey(key)]) }
        let json = values.compactMapValues { $0.jsonValue }
        return json.count == values.count ? .json(.object(JSONObject(json))) : .object(values)
    }

    private static func converted(elements: [Any], _ path: [any CodingKey]) throws -> MixedValue {
        let values = try elements.enumerated().map { index, element in
            try converted(element, path + [key(index)])
        }
        let json = values.compactMap { $0.jsonValue }
        return json.count == values.count ? .json(.array(json)) : .array(values)
    }

    private var jsonValue: JSONValue? { if case .json(let value) = self { value } else { nil } }

    /// As Foundation's encoders name an index.
    private static func key(_ index: Int) -> StringKey {
        StringKey(stringValue: "Index \(index)", intValue: index)
    }

    private static func number(_ number: JSONNumber?, _ value: Any, _ path: [any CodingKey]) throws -> MixedValue {
        guard let number else { throw EncodingError.invalid(value, at: path, "JSON has no number for \(value)") }
        return .json(.number(number))
    }
}
