// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Makes a part of each property of a model. Only the top level is walked; properties that are models themselves become
/// JSON.
final class MultipartModelEncoder: Encoder {
    private let encoder: MultipartEncoder
    private var isDictionary = false
    private var parts: [(key: String, parts: [MultipartPart])] = []
    private var keys: Set<String> = []
    private var failure: EncodingError?

    let codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { encoder.userInfo }

    init(encoder: MultipartEncoder) {
        self.encoder = encoder
    }

    func encode(_ value: some Encodable) throws {
        if let value = value as? MixedValue { return try encode(value) }
        let dictionary = type(of: value) as? any DictionaryType.Type
        isDictionary = dictionary != nil
        guard dictionary?.isListedByCodable == true, let members = value as? any EncodableDictionary else {
            return try value.encode(to: self)
        }
        let key = ValueEncoder.Context(options: encoder.options, userInfo: encoder.userInfo)
        for (name, value) in try members.members(name: key.keyText) { try append(value, StringKey(name)) }
    }

    private func encode(_ value: MixedValue) throws {
        switch value {
        case .json(let json): try encode(json)
        case .model(let model): try encode(model)
        case .array: throw refusal(of: value)
        case .object(let members):
            isDictionary = true
            for (name, value) in members { try append(value.encodable, StringKey(name)) }
        }
    }

    func finish() throws -> [MultipartPart] {
        if let failure { throw failure }
        // A dictionary has no order of its own.
        if isDictionary { parts.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }
        return parts.flatMap(\.parts)
    }

    fileprivate func append(_ value: some Encodable, _ key: any CodingKey) throws {
        let name = isDictionary ? key.stringValue : encoder.options.keys.name(of: key.stringValue)
        guard keys.insert(name).inserted else {
            throw EncodingError.invalid(value, at: [key], "two values for the key \"\(name)\"")
        }
        var new = try encoder.parts(for: value, name: name)
        // A key of a dictionary is there even when there is nothing under it.
        if isDictionary, new.isEmpty, !(value is any OptionalType), (value as? JSONValue)?.isNull != true {
            new = [try encoder.jsonPart(of: value, name)]
        }
        parts.append((name, new))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(MultipartKeyedEncodingContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { refuse().unkeyedContainer() }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        MultipartSingleValueEncodingContainer(encoder: self)
    }

    /// Remembers the failure; what is encoded from here on goes nowhere.
    fileprivate func refuse() -> ValueEncoder {
        failure = refusal(of: self)
        return ValueEncoder(
            node: ValueNode(), context: .init(options: encoder.options, userInfo: encoder.userInfo), codingPath: [])
    }

    fileprivate func refusal(of value: Any) -> EncodingError {
        .invalid(value, "a multipart form has names at its top level, and each of its values encodes itself whole")
    }
}

/// For a type that wraps the model: an optional, or an envelope without keys of its own.
private struct MultipartSingleValueEncodingContainer: SingleValueEncodingContainer {
    let encoder: MultipartModelEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws { throw encoder.refusal(of: Void?.none as Any) }

    func encode<Value: Encodable>(_ value: Value) throws {
        guard !ScalarText.isPrimitive(Value.self), !ScalarText.isSpecial(Value.self) else {
            throw encoder.refusal(of: value)
        }
        try encoder.encode(value)
    }
}

private struct MultipartKeyedEncodingContainer<Key: CodingKey>: NilEncodingContainer {
    let encoder: MultipartModelEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) throws { try encoder.append(String?.none, key) }

    // The protocol's own implementation refuses 128 bits.
    func encode(_ value: Int128, forKey key: Key) throws { try encoder.append(value, key) }

    func encode(_ value: UInt128, forKey key: Key) throws { try encoder.append(value, key) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder.append(value, key) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.refuse().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.refuse().unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder.refuse() }

    func superEncoder(forKey key: Key) -> any Encoder { encoder.refuse() }
}
