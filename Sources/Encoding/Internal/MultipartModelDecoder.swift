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
    fileprivate let names: [String]
    fileprivate let parts: [String: [MultipartBodyPart]]
    fileprivate let isDictionary: Bool

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(_ list: [MultipartBodyPart], decoder: MultipartDecoder, isDictionary: Bool = false) {
        self.decoder = decoder
        self.isDictionary = isDictionary
        var names: [String] = []
        var parts: [String: [MultipartBodyPart]] = [:]
        for part in list {
            guard let name = part.name else { continue }
            if parts[name] == nil { names.append(name) }
            parts[name, default: []].append(part)
        }
        self.names = names
        self.parts = parts
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(MultipartKeyedDecodingContainer<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw mismatch([Any].self) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw mismatch(String.self) }

    private func mismatch(_ type: any Any.Type) -> DecodingError {
        .typeMismatch(type, .init(codingPath: [], debugDescription: "a multipart form has names at its top level"))
    }

    fileprivate func decode<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
        let bodies = (parts[name] ?? []).map { ($0.contentType, $0.body.data ?? Data()) }
        if let list = bodies.map(\.1) as? Value { return list }
        if bodies.count == 1, let only = bodies.first {
            if let data = only.1 as? Value { return data }
            if only.0?.isJSON == true { return try decoder.json.explained(type, from: only.1) }
        }
        let texts = try bodies.map { type, data in
            guard let text = TextCharset(label: type?.charset ?? "utf-8")?.decode(data) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: [FormKey(name)], debugDescription: "the part is not text in its charset"))
            }
            return text
        }
        let context = FormTreeDecoder.Context(options: decoder.options, userInfo: [:])
        return try FormTreeDecoder(FormTree(texts), context: context, path: [FormKey(name)]).decode(type)
    }
}

private struct MultipartKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: MultipartModelDecoder
    let codingPath: [any CodingKey] = []
    private var keys: FormOptions.Keys { decoder.decoder.options.keys }

    var allKeys: [Key] { decoder.names.compactMap { Key(stringValue: keys.key(named: $0)) ?? Key(stringValue: $0) } }

    private func name(_ key: any CodingKey) -> String {
        let converted = keys.name(of: key.stringValue)
        return decoder.parts[converted] == nil ? key.stringValue : converted
    }

    func contains(_ key: Key) -> Bool { decoder.parts[name(key)] != nil }

    func decodeNil(forKey key: Key) -> Bool { !contains(key) }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(type, key) }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(type, key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try value(type, key) }

    private func value<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
        if contains(key) { return try decoder.decode(type, name(key)) }
        // An empty array of files or data has no parts: what can be made of nothing, is.
        do {
            return try decoder.decode(type, name(key))
        } catch is DecodingError {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: [], debugDescription: "no part has the name \"\(name(key))\""))
        }
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

    /// Keeps the decoder that it is given.
    private struct Nested: Decodable {
        let decoder: any Decoder
        init(from decoder: any Decoder) { self.decoder = decoder }
    }
}
