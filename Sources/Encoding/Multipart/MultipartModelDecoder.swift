// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads a model whose properties are parts.
struct MultipartModelDecoder: Decoder {
    fileprivate let decoder: MultipartDecoder
    private let names: [String]
    private let parts: [ExactText: [MultipartBodyPart]]
    /// The parts of the names `a[]`, or `a[0]` and `a[1]`, under the name `a`.
    private let lists: [ExactText: [MultipartBodyPart]]
    /// The names that become a key when they are read, although the key is not written as that name: `user__id` for
    /// `userId`.
    fileprivate let namesByKey: [String: String]
    /// The charset of text that does not name its own (RFC 7578 §4.6); `nil` is UTF-8.
    private let charset: String?
    fileprivate var isDictionary = false
    /// Whether it is a dictionary whose values may be lists.
    private var isOfLists = false
    fileprivate let context: FormTreeDecoder.Context

    let codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

    init(_ list: [MultipartBodyPart], decoder: MultipartDecoder) {
        self.decoder = decoder
        context = FormTreeDecoder.Context(options: decoder.options, userInfo: decoder.userInfo)
        var names: [String] = []
        var parts: [ExactText: [MultipartBodyPart]] = [:]
        for part in list {
            guard let name = part.name else { continue }
            if parts[ExactText(name)] == nil { names.append(name) }
            parts[ExactText(name), default: []].append(part)
        }
        self.names = names
        self.parts = parts
        lists = Self.lists(names, parts)
        namesByKey = decoder.options.keys.namesByKey(names)
        let charset = parts[ExactText("_charset_")]?.first?.body.data.map { String(decoding: $0, as: UTF8.self) }
        self.charset = charset?.isEmpty == true ? nil : charset
    }

    private static func lists(
        _ names: [String], _ parts: [ExactText: [MultipartBodyPart]]
    ) -> [ExactText: [MultipartBodyPart]] {
        var lists: [ExactText: [(index: Int, parts: [MultipartBodyPart])]] = [:]
        for name in names {
            guard let (base, index) = element(name) else { continue }
            lists[ExactText(base), default: []].append((index, parts[ExactText(name)] ?? []))
        }
        return lists.mapValues { $0.sorted { $0.index < $1.index }.flatMap(\.parts) }
    }

    fileprivate func parts(named name: String) -> [MultipartBodyPart]? {
        parts[ExactText(name)] ?? lists[ExactText(name)]
    }

    /// The keys of a dictionary, which are data: only an encoder with the same options makes several names of one.
    fileprivate var keys: [String] {
        guard isOfLists, [.brackets, .indices].contains(decoder.options.arrays) else { return names }
        var seen: Set<ExactText> = []
        return names.map { Self.element($0)?.base ?? $0 }.filter { seen.insert(ExactText($0)).inserted }
    }

    /// The name of the list, and the place in it, that a name such as `a[2]` stands for; the place of `a[]` is the first.
    private static func element(_ name: String) -> (base: String, index: Int)? {
        guard name.hasSuffix("]"), let open = name.lastIndex(of: "["), open != name.startIndex else { return nil }
        let digits = name[name.index(after: open)...].dropLast()
        guard digits.utf8.allSatisfy(\.isDigit), let index = digits.isEmpty ? 0 : Int(digits) else { return nil }
        return (String(name[..<open]), index)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let dictionary = type as? any DictionaryType.Type
        var decoder = self
        decoder.isDictionary = dictionary != nil
        decoder.isOfLists = dictionary?.hasScalarValues == false
        if dictionary?.isListedByCodable == true, let type = type as? any DecodableDictionary.Type {
            let container = decoder.container(keyedBy: StringKey.self)
            let value = try type.decoded(container.allKeys, key: context.key) { try container.decode($1, forKey: $0) }
            if let value = value as? Value { return value }
        }
        return try Value(from: decoder)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(MultipartKeyedDecodingContainer<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw mismatch([Any].self) }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        MultipartSingleValueDecodingContainer(decoder: self)
    }

    fileprivate func mismatch(_ type: any Any.Type) -> DecodingError {
        .typeMismatch(type, .init(codingPath: [], debugDescription: "a multipart form has names at its top level"))
    }

    fileprivate func decode<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
        let bodies = (parts(named: name) ?? []).map { ($0.contentType, $0.body.data ?? Data()) }
        if let list = bodies.map(\.1) as? Value { return list }
        if bodies.count == 1, let data = bodies[0].1 as? Value { return data }
        if !bodies.isEmpty, bodies.allSatisfy({ $0.0?.isJSON == true }) {
            let texts = try bodies.map { try JSONText.utf8($1, at: [StringKey(name)], label: $0?.charset) }
            if texts.count > 1 || !Self.isArray(texts[0]), let list = type as? any ArrayOfParts.Type,
                let elements = try list.decoded(from: texts, by: self, name) as? Value
            {
                return elements
            }
            if texts.count == 1 { return try json(type, from: texts[0], at: [.name(name)]) }
        }
        let texts = try bodies.map {
            try TextCharset.text(of: $1, label: $0?.charset ?? charset, at: [StringKey(name)])
        }
        return try FormTreeDecoder(FormTree(texts), context: context, path: [StringKey(name)]).decode(type)
    }

    fileprivate func json<Value: Decodable>(
        _ type: Value.Type, from data: Data, at place: [JSONKeyPath.Step]
    ) throws -> Value {
        do {
            return try decoder.json.explained(type, from: data)
        } catch let error as JSONDecodingError {
            throw error.inside(place)
        }
    }

    private static func isArray(_ json: Data) -> Bool {
        var scanner = JSONScanner([UInt8](json))
        return scanner.peek() == UInt8(ascii: "[")
    }

    fileprivate func isNil(_ name: String) -> Bool {
        guard let list = parts(named: name) else { return true }
        guard case .text(let text) = decoder.options.nils.value, list.count == 1, let data = list[0].body.data else {
            return false
        }
        return data.elementsEqual(text.utf8)
    }
}

/// `Array`, of which each element may be a part of JSON.
private protocol ArrayOfParts {
    static func decoded(from parts: [Data], by decoder: MultipartModelDecoder, _ name: String) throws -> Self
}

extension Array: ArrayOfParts where Element: Decodable {
    fileprivate static func decoded(
        from parts: [Data], by decoder: MultipartModelDecoder, _ name: String
    ) throws -> [Element] {
        try parts.enumerated().map { try decoder.json(Element.self, from: $1, at: [.name(name), .index($0)]) }
    }
}

/// For a type that wraps the model: an optional, or an envelope without keys of its own.
private struct MultipartSingleValueDecodingContainer: SingleValueDecodingContainer {
    let decoder: MultipartModelDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    /// There is a form, even if it has no parts.
    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard !ScalarText.isPrimitive(type), !ScalarText.isSpecial(type) else { throw decoder.mismatch(type) }
        return try decoder.decode(type)
    }
}

private struct MultipartKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: MultipartModelDecoder
    let codingPath: [any CodingKey] = []
    private var keys: FormOptions.Keys { decoder.decoder.options.keys }

    var allKeys: [Key] {
        decoder.keys.compactMap { name in
            Key(stringValue: decoder.isDictionary ? name : keys.key(named: name)) ?? Key(stringValue: name)
        }
    }

    private func name(_ key: any CodingKey) -> String {
        if decoder.isDictionary { return key.stringValue }
        let converted = keys.name(of: key.stringValue)
        if decoder.parts(named: converted) != nil { return converted }
        if decoder.parts(named: key.stringValue) != nil { return key.stringValue }
        return decoder.namesByKey[key.stringValue] ?? key.stringValue
    }

    func contains(_ key: Key) -> Bool { decoder.parts(named: name(key)) != nil }

    func decodeNil(forKey key: Key) -> Bool { decoder.isNil(name(key)) }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(type, key) }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(type, key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try value(type, key) }

    private func value<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
        if contains(key) { return try decoder.decode(type, name(key)) }
        // An empty array of files or data has no parts, so a value that can be decoded from nothing is.
        return try decoder.context.makeOfNothing(
            type,
            orThrow: .keyNotFound(
                key, .init(codingPath: [], debugDescription: "no part has the name \"\(name(key))\""))
        ) { try decoder.decode(type, name(key)) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try value(Nested.self, key).decoder.container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try value(Nested.self, key).decoder.unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a multipart form has no superclass"))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try value(Nested.self, key).decoder }

    /// A model that keeps the decoder it is given, to get at a nested one.
    private struct Nested: Decodable {
        let decoder: any Decoder
        init(from decoder: any Decoder) { self.decoder = decoder }
    }
}
