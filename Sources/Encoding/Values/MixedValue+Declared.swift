// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension MixedValue {
    /// A value of which the type is known that it was declared with.
    ///
    /// What is `Encodable` is sent as it encodes itself. Any other type that has a raw value is sent as that, else as
    /// its description, and so are the elements of collections, if their type is declared. Of `Any` neither is taken:
    /// nobody has said that what it holds may be sent in this way.
    ///
    /// - Throws: `EncodingError` for anything else, and for keys that have no text or that of another.
    package init<Declared>(declared value: Declared) throws {
        self = try Self.converted(declared: value, [])
    }

    /// Pairs as an object, in their order.
    package init<Key, Value>(pairs: KeyValuePairs<Key, Value>) throws {
        let members = try pairs.map { key, value in
            let name = try Self.name(of: key, [])
            return Member(name, try Self.converted(declared: value, [StringKey(name)]))
        }
        self = try .object(members, path: [])
    }

    /// The text of the key of a dictionary.
    package static func name(of key: Any) throws -> String { try name(of: key, []) }

    fileprivate static func name(of key: Any, _ path: [any CodingKey]) throws -> String {
        let base = (key as? AnyHashable)?.base ?? key
        if let key = base as? any CodingKeyRepresentable { return key.codingKey.stringValue }
        let raw = (base as? any RawRepresentable)?.rawValue ?? base
        if let key = raw as? any Encodable, let text = try ScalarText.text(key, FormOptions()) { return text }
        guard let text = (raw as? any CustomStringConvertible)?.description else {
            throw EncodingError.invalid("\(type(of: base))", at: path, "a key that has no text")
        }
        return text
    }

    fileprivate static func converted<Declared>(
        declared value: Declared, _ path: [any CodingKey]
    ) throws -> MixedValue {
        try ScalarText.refuse(value)
        if !hasText(Declared.self) || path.count > JSONValue.maximumDepth {
            return try MixedValue(value, path: path)
        }
        if let model = value as? any Encodable { return .model(model) }
        if let text = value as? any StringProtocol { return .model(String(text)) }
        if let optional = value as? any OptionalType, optional.wrappedValue == nil { return .json(.null) }
        if let collection = value as? any DeclaredCollection { return try collection.mixed(path) }
        if let mixed = try? MixedValue(value, path: path) { return mixed }
        if let raw = (value as? any RawRepresentable)?.rawValue as? any Encodable {
            return try MixedValue(raw, path: path)
        }
        if let text = (value as? any CustomStringConvertible)?.description { return .json(.string(text)) }
        return try MixedValue(value, path: path)
    }

    /// Whether values of the type may be sent as their raw value or their description.
    private static func hasText(_ type: Any.Type) -> Bool {
        if let optional = type as? any OptionalType.Type { return hasText(optional.wrappedType) }
        return type is any RawRepresentable.Type || type == (any CustomStringConvertible).self
            || type is any CustomStringConvertible.Type && type != AnyHashable.self
    }
}

/// A collection that knows what type its elements were declared with.
private protocol DeclaredCollection {
    func mixed(_ path: [any CodingKey]) throws -> MixedValue
}

extension DeclaredCollection where Self: Sequence {
    fileprivate func mixed(_ path: [any CodingKey]) throws -> MixedValue {
        .array(
            try enumerated().map { index, element in
                try MixedValue.converted(declared: element, path + [StringKey(index)])
            })
    }
}

extension Array: DeclaredCollection {}
extension ArraySlice: DeclaredCollection {}
extension ContiguousArray: DeclaredCollection {}
extension Set: DeclaredCollection {}

extension Dictionary: DeclaredCollection {
    fileprivate func mixed(_ path: [any CodingKey]) throws -> MixedValue {
        var members = try map { key, value in
            let name = try MixedValue.name(of: key, path)
            return MixedValue.Member(name, try MixedValue.converted(declared: value, path + [StringKey(name)]))
        }
        members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return try .object(members, path: path)
    }
}
