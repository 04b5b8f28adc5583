// SPDX-License-Identifier: Apache-2.0

extension TracingDecoder {
    /// An object as a dictionary whose keys have texts, but that `Codable` reads from a list of keys and values; `nil` for
    /// any other type, and where there is no object.
    func dictionary<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        guard (type as? any DictionaryType.Type)?.isListedByCodable == true,
            let type = type as? any ObjectDictionary.Type, (try? base.container(keyedBy: StringKey.self)) != nil
        else { return nil }
        return try type.decoded(from: base.singleValueContainer()) as? Value
    }
}

private protocol ObjectDictionary {
    static func decoded(from container: any SingleValueDecodingContainer) throws -> Self
}

extension Dictionary: ObjectDictionary where Key: Decodable, Value: Decodable {
    fileprivate static func decoded(from container: any SingleValueDecodingContainer) throws -> [Key: Value] {
        // By names, which are data: no key strategy touches the keys of such a dictionary.
        let members = try container.decode([String: Member<Value>].self)
        let keys = FormTreeDecoder.Context(options: FormOptions(), userInfo: [:])
        return try decoded(
            members.keys.sorted().map { StringKey($0) },
            key: { name, type in
                do { return try keys.key(name, type) } catch {
                    let context = DecodingError.Context(
                        codingPath: container.codingPath + [name], debugDescription: "no key of type \(type)",
                        underlyingError: UnreadKey(type: type))
                    throw DecodingError.dataCorrupted(context)
                }
            },
            value: { name, _ in members[name.stringValue]?.value })
    }
}

/// The name of a member is no key of a dictionary.
struct UnreadKey: Error {
    let type: any Any.Type
}

/// A value that may hold such dictionaries too.
private struct Member<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws { value = try TracingDecoder(base: decoder).decode(Value.self) }
}
