// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JSONValue {
    /// A dictionary of mixed values, as `JSONSerialization` and old code pass them around.
    ///
    ///     let body = try JSONValue(["name": name, "tags": ["a", "b"], "age": nil as Int?])
    ///
    /// Nested dictionaries and arrays, text, numbers, `Bool`, `nil`, `NSNull`, `NSNumber` and everything `Encodable`
    /// are taken.
    ///
    /// - `encoder`: turns values such as `Date` and models into JSON.
    /// - Throws: `EncodingError.invalidValue` with the path of the first value that JSON cannot hold.
    public init(_ members: [String: Any], encoder: JSONEncoder = JSONEncoder()) throws {
        self = .object(try AnyConverter(encoder: encoder).convert(members, path: []))
    }

    /// An array of mixed values; see ``init(_:encoder:)-([String:Any],_)``.
    public init(_ elements: [Any], encoder: JSONEncoder = JSONEncoder()) throws {
        self = .array(try AnyConverter(encoder: encoder).convert(elements, path: []))
    }

    /// Any model, through its `Encodable`.
    ///
    /// - Throws: `EncodingError`; `DecodingError` for a text of the encoder's that is deeper than ``maximumDepth``.
    public init(encoding model: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws {
        self = try model as? JSONValue ?? JSONValue(parsing: encoder.encode(model))
    }
}

private struct AnyConverter {
    let encoder: JSONEncoder

    func convert(_ members: [String: Any], path: [any CodingKey]) throws -> [String: JSONValue] {
        var result: [String: JSONValue] = [:]
        result.reserveCapacity(members.count)
        for (key, value) in members { result[key] = try convert(value, path: path + [StringKey(key)]) }
        return result
    }

    func convert(_ elements: [Any], path: [any CodingKey]) throws -> [JSONValue] {
        // As Foundation's encoders name an index.
        try elements.enumerated().map { index, element in
            try convert(element, path: path + [StringKey(stringValue: "Index \(index)", intValue: index)])
        }
    }

    func convert(_ value: Any, path: [any CodingKey]) throws -> JSONValue {
        guard path.count <= JSONValue.maximumDepth else {
            throw invalid(value, path, "nested deeper than \(JSONValue.maximumDepth)")
        }
        switch value {
        case let value as JSONValue: return value
        case let value as any OptionalType: return try value.wrappedValue.map { try convert($0, path: path) } ?? .null
        // Objects of Foundation cast to several Swift types; which one they hold is told by their class.
        case _ where type(of: value) is AnyClass: return try convert(object: value, path: path)
        case let value as any StringProtocol: return .string(String(value))
        case let value as Bool: return .bool(value)
        case let value as any FixedWidthInteger: return .number(JSONNumber(value))
        case let value as Double: return try number(JSONNumber(value), value, path)
        case let value as Float: return try number(JSONNumber("\(value)"), value, path)
        case let value as Decimal: return try number(JSONNumber(value), value, path)
        case let value as [String: Any]: return .object(try convert(value, path: path))
        case let value as [Any]: return .array(try convert(value, path: path))
        case let value as any Encodable: return try encode(value, path)
        default: throw invalid(value, path, "JSON cannot hold a \(type(of: value))")
        }
    }

    /// `NSNumber`, `NSString`, `NSNull`, `NSArray`, `NSDictionary`, which FoundationEssentials cannot name; and classes
    /// of the app that are `Encodable`.
    private func convert(object: Any, path: [any CodingKey]) throws -> JSONValue {
        if let value = object as? any Encodable { return try encode(value, path) }
        let name = "\(type(of: object))"
        if name == "NSNull" { return .null }
        if name.hasSuffix("Boolean"), let value = object as? Bool { return .bool(value) }
        if let value = object as? String { return .string(value) }
        if let value = object as? Int64 { return .number(JSONNumber(value)) }
        if let value = object as? UInt64 { return .number(JSONNumber(value)) }
        if let value = object as? Double { return try number(JSONNumber(value), object, path) }
        if let value = object as? [String: Any] { return .object(try convert(value, path: path)) }
        if let value = object as? [Any] { return .array(try convert(value, path: path)) }
        throw invalid(object, path, "JSON cannot hold a \(name)")
    }

    private func encode(_ value: any Encodable, _ path: [any CodingKey]) throws -> JSONValue {
        do {
            return try JSONValue(parsing: encoder.encode(value))
        } catch EncodingError.invalidValue(let value, let context) {
            throw invalid(value, path + context.codingPath, context.debugDescription)
        }
    }

    private func number(_ number: JSONNumber?, _ value: Any, _ path: [any CodingKey]) throws -> JSONValue {
        guard let number else { throw invalid(value, path, "JSON has no number for \(value)") }
        return .number(number)
    }

    private func invalid(_ value: Any, _ path: [any CodingKey], _ reason: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: path, debugDescription: reason))
    }
}
