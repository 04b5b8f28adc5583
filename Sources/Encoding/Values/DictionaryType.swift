// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Marks dictionaries: their keys are data, not names that a programmer chose.
protocol DictionaryType {
    static var keyType: any Any.Type { get }
    static var valueType: any Any.Type { get }
}

extension Dictionary: DictionaryType {
    static var keyType: any Any.Type { Key.self }
    static var valueType: any Any.Type { Value.self }
}

extension DictionaryType {
    /// The type of the keys when they are no names, so that `Codable` reads the dictionary from an array.
    static var unnamedKey: (any Any.Type)? { keyType is any CodingKeyRepresentable.Type ? nil : keyType }
    static var hasScalarValues: Bool { ScalarText.isScalar(valueType) }
    static var mayHaveScalarValues: Bool { hasScalarValues || ScalarText.hasText(valueType) }

    /// Whether `Codable` writes a list of keys and values in turn, although each key has a text.
    static var isListedByCodable: Bool {
        keyType != String.self && keyType != Int.self && !(keyType is any CodingKeyRepresentable.Type)
            && ScalarText.isScalar(keyType)
    }
}

/// A dictionary whose entries can be encoded one by one.
protocol EncodableDictionary {
    /// - Parameter name: the text of a key.
    /// - Throws: what `name` throws, and an `EncodingError` for two keys that have the same text.
    func members(name: (any Encodable) throws -> String) throws -> [(name: String, value: any Encodable)]
}

extension Dictionary: EncodableDictionary where Key: Encodable, Value: Encodable {
    func members(name: (any Encodable) throws -> String) throws -> [(name: String, value: any Encodable)] {
        var members = try map { (name: try name($0), value: $1 as any Encodable) }
        // A dictionary has no order of its own.
        members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for (one, other) in zip(members, members.dropFirst()) where one.name.utf8.elementsEqual(other.name.utf8) {
            throw EncodingError.invalid(one.name, "two keys of a dictionary have the text \"\(one.name)\"")
        }
        return members
    }
}

/// A dictionary that can be made of names and what stands under them.
protocol DecodableDictionary {
    /// - Returns: `nil` where there is nothing.
    typealias Read = (StringKey, any Decodable.Type) throws -> (any Decodable)?

    /// - Parameters:
    ///   - names: as they stand there.
    ///   - key: reads a name as a key.
    ///   - value: reads what stands under a name.
    static func decoded(_ names: [StringKey], key: Read, value: Read) throws -> Self
}

extension Dictionary: DecodableDictionary where Key: Decodable, Value: Decodable {
    static func decoded(_ names: [StringKey], key: Read, value: Read) throws -> [Key: Value] {
        var result: [Key: Value] = [:]
        for name in names {
            guard let key = try key(name, Key.self) as? Key, let value = try value(name, Value.self) as? Value,
                result.updateValue(value, forKey: key) == nil
            else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: [name], debugDescription: "two names are read as one key"))
            }
        }
        return result
    }
}
