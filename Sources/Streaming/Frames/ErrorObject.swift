// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StrataCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// An object, looked at for a member `error` and for what a model would read of it.
struct ErrorObject<Model: Decodable>: Decodable {
    let hasError: Bool
    /// Whether the model reads any of the members.
    let isRead: Bool

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: MemberKey.self)
        let error = MemberKey(stringValue: "error")
        hasError = try object.contains(error) && !object.decodeNil(forKey: error)
        let members = AskedMembers()
        _ = try? unwrapped(Model.self).init(from: ObservedDecoder(base: decoder, members: members))
        isRead = members.areUnknown || object.allKeys.contains { members.names.contains($0.stringValue) }
    }
}

extension ResponseBodyDecoder {
    /// Whether a JSON text can be an element: it is no error object, and the model reads something of it.
    package func reads<Model: Decodable>(_ type: Model.Type, in text: Data, of head: HTTPResponse) -> Bool {
        if type == VoidResponse.self { return true }
        guard ModelDecoding.isWhole(type) || decodesPartOfBody(of: head) else {
            let object = try? decode(ErrorObject<Model>.self, from: text, response: head)
            return object?.isRead ?? true
        }
        let object = try? forWholeBodies.decode(ErrorObject<VoidResponse>.self, from: text, response: head)
        return object?.hasError != true
    }
}

private func unwrapped(_ type: any Decodable.Type) -> any Decodable.Type {
    guard let wrapped = (type as? any OptionalType.Type)?.wrappedType as? any Decodable.Type else { return type }
    return unwrapped(wrapped)
}

extension Data {
    /// A quick look, before anything is decoded.
    var mentionsError: Bool {
        withUnsafeBytes { bytes in
            var start = 0
            while true {
                start = bytes.firstIndex(of: UInt8(ascii: "\""), from: start)
                if start == bytes.count { return false }
                if bytes.dropping(start).starts(with: "\"error\"") { return true }
                start += 1
            }
        }
    }
}

private struct MemberKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// The members that a model has asked for.
private final class AskedMembers {
    var names: Set<String> = []
    /// Whether it may have read any: it took the whole object, or asked which members there are.
    var areUnknown = false
}

/// Notes what is asked for at the top.
private struct ObservedDecoder: Decoder {
    let base: any Decoder
    let members: AskedMembers

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(ObservedContainer(base: try base.container(keyedBy: type), members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try base.unkeyedContainer() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        ObservedValue(base: try base.singleValueContainer(), members: members)
    }
}

private struct ObservedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let members: AskedMembers

    private func note(_ key: Key) -> Key {
        members.names.insert(key.stringValue)
        return key
    }

    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] {
        members.areUnknown = true
        return base.allKeys
    }

    func contains(_ key: Key) -> Bool { base.contains(note(key)) }
    func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: note(key)) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try base.decode(type, forKey: note(key)) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try base.decode(type, forKey: note(key)) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try base.decode(type, forKey: note(key))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try base.nestedContainer(keyedBy: type, forKey: note(key))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try base.nestedUnkeyedContainer(forKey: note(key))
    }

    func superDecoder() throws -> any Decoder { try base.superDecoder() }
    func superDecoder(forKey key: Key) throws -> any Decoder { try base.superDecoder(forKey: note(key)) }
}

/// A model that takes the object as a value may read any of its members.
private struct ObservedValue: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let members: AskedMembers

    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }
    func decode(_ type: Int128.Type) throws -> Int128 { try base.decode(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try base.decode(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        members.areUnknown = true
        return try base.decode(type)
    }
}
