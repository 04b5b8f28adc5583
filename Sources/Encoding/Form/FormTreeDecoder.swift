// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads a model out of a ``FormTree``.
struct FormTreeDecoder: Decoder {
    final class Context {
        let options: FormOptions
        let userInfo: [CodingUserInfoKey: Any]
        /// The types that are being decoded from nothing, and whether decoding them has asked for another value of the
        /// same type.
        private var unwritten: [ObjectIdentifier: Bool] = [:]
        /// How many such decodings were begun within the outermost one. Types that try one another can be tried in a
        /// number of orders that grows with the factorial of their number.
        private var attempts = 0
        private static let maximumAttempts = 1000

        init(options: FormOptions, userInfo: [CodingUserInfoKey: any Sendable]) {
            self.options = options
            self.userInfo = userInfo
        }

        /// A name that is read as the key of a dictionary.
        func key(_ name: StringKey, _ type: any Decodable.Type) throws -> any Decodable {
            try FormTreeDecoder(FormTree([name.stringValue]), context: self, path: [name]).decode(type)
        }

        /// Decodes a value for which nothing was written, because forms have no notation for an empty array or object.
        /// A model that asks for another value of its own type is refused, because that would never end.
        func makeOfNothing<Value>(
            _ type: Value.Type, orThrow error: @autoclosure () -> DecodingError, _ make: () throws -> Value
        ) throws -> Value {
            let id = ObjectIdentifier(type)
            guard unwritten[id] == nil else {
                unwritten[id] = true
                throw error()
            }
            attempts = unwritten.isEmpty ? 1 : attempts + 1
            guard attempts <= Self.maximumAttempts else { throw error() }
            unwritten[id] = false
            defer { unwritten[id] = nil }
            do {
                let value = try make()
                if unwritten[id] == false { return value }
            } catch is DecodingError {}
            throw error()
        }
    }

    let tree: FormTree
    let context: Context
    let codingPath: [any CodingKey]
    let isDictionary: Bool

    init(_ tree: FormTree, context: Context, path: [any CodingKey], isDictionary: Bool = false) {
        self.tree = tree
        self.context = context
        codingPath = path
        self.isDictionary = isDictionary
    }

    var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try checkDepth()
        guard tree.values.allSatisfy(\.isEmpty), tree.appended.isEmpty else {
            throw mismatch([String: Any].self, tree.values.isEmpty ? "elements, not keys" : "a value, not keys")
        }
        return KeyedDecodingContainer(FormKeyedDecodingContainer<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try checkDepth()
        guard let elements = tree.elements(separatedBy: context.options.arrays.separator) else {
            throw mismatch([Any].self, "keys that are not indices")
        }
        return FormUnkeyedDecodingContainer(decoder: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { FormSingleValueDecodingContainer(decoder: self) }

    private func checkDepth() throws {
        guard codingPath.count <= FormOptions.maximumDepth else {
            throw DecodingError.dataCorrupted(context("nested deeper than \(FormOptions.maximumDepth)"))
        }
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == JSONValue.self {
            // Where nothing was written, there is no telling which of the empty values is meant.
            guard codingPath.isEmpty || !tree.isEmpty else { throw missing(type) }
            if let value = try tree.json(at: codingPath) as? Value { return value }
        }
        if ScalarText.isSpecial(type) {
            return try scalar(type) { try ScalarText.value(type, $0, context.options) }
        }
        let dictionary = type as? any DictionaryType.Type
        let decoder = FormTreeDecoder(tree, context: context, path: codingPath, isDictionary: dictionary != nil)
        if dictionary?.isListedByCodable == true, let type = type as? any DecodableDictionary.Type {
            let container = try decoder.container(keyedBy: StringKey.self)
            let value = try type.decoded(container.allKeys, key: context.key) { try container.decode($1, forKey: $0) }
            if let value = value as? Value { return value }
        }
        return try Value(from: decoder)
    }

    /// The one value there is.
    func text(for type: any Any.Type) throws -> String {
        guard !tree.hasMembers else { throw mismatch(type, "keys, not a value") }
        switch tree.values.count {
        case 1: return tree.values[0]
        case 0: throw missing(type)
        default:
            throw DecodingError.dataCorrupted(
                context("\(tree.values.count) values where there can be one"))
        }
    }

    func primitive<Value: LosslessStringConvertible>(_ type: Value.Type) throws -> Value {
        try scalar(type) { Value($0) }
    }

    func number<Value: BinaryFloatingPoint & LosslessStringConvertible>(_ type: Value.Type) throws -> Value {
        try scalar(type) { ScalarText.number(type, $0) }
    }

    private func scalar<Value>(_ type: Value.Type, _ read: (String) throws -> Value?) throws -> Value {
        let text = try text(for: type)
        guard let value = try read(text) else { throw mismatch(type, "\"\(text.prefix(60))\"") }
        return value
    }

    var isNil: Bool {
        if tree.isEmpty { return true }
        guard case .text(let text) = context.options.nils.value, tree.values.count == 1, !tree.hasMembers else {
            return false
        }
        return tree.values[0].utf8.elementsEqual(text.utf8)
    }

    private func context(_ reason: String) -> DecodingError.Context {
        .init(codingPath: codingPath, debugDescription: reason)
    }

    func mismatch(_ type: any Any.Type, _ found: String) -> DecodingError {
        .typeMismatch(type, context("expected \(type), found \(found)"))
    }

    private func missing(_ type: any Any.Type) -> DecodingError {
        .valueNotFound(type, context("expected \(type), found nothing"))
    }
}

private struct FormKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: FormTreeDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        let keys = decoder.context.options.keys
        return decoder.tree.keys.compactMap { name in
            Key(stringValue: decoder.isDictionary ? name : keys.key(named: name)) ?? Key(stringValue: name)
        }
    }

    private func node(_ key: any CodingKey) -> FormTree? {
        let options = decoder.context.options
        if decoder.isDictionary { return decoder.tree.node(for: key.stringValue, options) }
        return decoder.tree.node(for: options.keys.name(of: key.stringValue), options)
            ?? decoder.tree.node(readAs: key.stringValue, options.keys)
    }

    private func nested(_ key: any CodingKey) -> FormTreeDecoder {
        FormTreeDecoder(node(key) ?? FormTree(), context: decoder.context, path: codingPath + [key])
    }

    func contains(_ key: Key) -> Bool { node(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { nested(key).isNil }

    // The protocol's own implementation refuses 128 bits.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try nested(key).primitive(type) }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try nested(key).primitive(type) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let nested = nested(key)
        guard nested.tree.isEmpty else { return try nested.decode(type) }
        return try decoder.context.makeOfNothing(
            type,
            orThrow: .keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "no value for the key \"\(key.stringValue)\""))
        ) { try nested.decode(type) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { nested(StringKey("super")) }

    func superDecoder(forKey key: Key) -> any Decoder { nested(key) }
}

private struct FormUnkeyedDecodingContainer: UnkeyedDecodingContainer {
    let decoder: FormTreeDecoder
    let elements: [FormTree]
    var currentIndex = 0

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private func current(_ type: any Any.Type) throws -> FormTreeDecoder {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type, .init(codingPath: codingPath, debugDescription: "the array has only \(elements.count) elements"))
        }
        return FormTreeDecoder(
            elements[currentIndex], context: decoder.context, path: codingPath + [StringKey(currentIndex)])
    }

    mutating func decodeNil() throws -> Bool {
        guard try current(Any?.self).isNil else { return false }
        currentIndex += 1
        return true
    }

    /// The current element as `read` returns it. When `read` throws, the element is not skipped.
    private mutating func take<Value>(_ type: any Any.Type, _ read: (FormTreeDecoder) throws -> Value) throws -> Value {
        let value = try read(current(type))
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 { try take(type) { try $0.primitive(type) } }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try take(type) { try $0.primitive(type) } }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try take(type) { try $0.decode(type) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try take(type) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take([Any].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try take((any Decoder).self) { $0 } }
}

private struct FormSingleValueDecodingContainer: SingleValueDecodingContainer {
    let decoder: FormTreeDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.isNil }
    func decode(_ type: String.Type) throws -> String { try decoder.primitive(type) }
    func decode(_ type: Double.Type) throws -> Double { try decoder.number(type) }
    func decode(_ type: Float.Type) throws -> Float { try decoder.number(type) }
    func decode(_ type: Int.Type) throws -> Int { try decoder.primitive(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try decoder.primitive(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try decoder.primitive(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try decoder.primitive(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try decoder.primitive(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try decoder.primitive(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try decoder.primitive(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.primitive(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.primitive(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.primitive(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.primitive(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try decoder.primitive(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
}
