// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value of any type on its way to an encoder: what a front end makes of what it is given.
///
/// What only an encoder can turn into text, a `Date` or a model, stays as it is until one meets it, so that its own
/// strategies hold.
package enum MixedValue {
    package typealias Member = (name: String, value: MixedValue)

    /// JSON all through.
    case json(JSONValue)
    case model(any Encodable)
    /// An array, or an object, with a model somewhere in it.
    case array([MixedValue])
    /// In the order in which they are sent. No two have the same name.
    case object([Member])

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

    /// - Throws: for two members of one name.
    static func object(_ members: [Member], path: [any CodingKey]) throws -> MixedValue {
        var names: Set<String> = []
        for member in members where !names.insert(member.name).inserted {
            throw EncodingError.invalid(member.name, at: path, "two keys have the text \"\(member.name)\"")
        }
        return .object(members)
    }
}

extension MixedValue: Encodable {
    /// For an encoder that is not of this module.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .json(let value): try container.encode(value)
        case .model(let model): try container.encode(model)
        case .array(let elements): try container.encode(elements)
        // As a dictionary, whose keys are data: no key strategy touches them.
        case .object(let members): try container.encode(Dictionary(uniqueKeysWithValues: members.map { ($0, $1) }))
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
        let members = try members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { Member($0, try converted($1, path + [StringKey($0)])) }
        let json = members.compactMap { member in member.value.jsonValue.map { (member.name, $0) } }
        return json.count == members.count
            ? .json(.object(JSONObject(json))) : try .object(members, path: path)
    }

    private static func converted(elements: [Any], _ path: [any CodingKey]) throws -> MixedValue {
        let values = try elements.enumerated().map { index, element in
            try converted(element, path + [StringKey(index)])
        }
        let json = values.compactMap { $0.jsonValue }
        return json.count == values.count ? .json(.array(json)) : .array(values)
    }

    private var jsonValue: JSONValue? { if case .json(let value) = self { value } else { nil } }

    private static func number(_ number: JSONNumber?, _ value: Any, _ path: [any CodingKey]) throws -> MixedValue {
        guard let number else { throw EncodingError.invalid(value, at: path, "JSON has no number for \(value)") }
        return .json(.number(number))
    }
}
