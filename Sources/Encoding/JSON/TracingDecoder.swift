// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds the value at which a decoder gives up without saying where.
///
/// When a number does not fit into its type, or a string is not valid Unicode, the `JSONDecoder` of swift-foundation
/// reports that the whole text is not JSON. The text is then decoded once more through this decoder. So it is where an
/// array was expected, because `Codable` reads some dictionaries from one, and durations: here they may be objects, and
/// numbers of seconds, as the encoders of this library write them.
struct TracingDecoder: Decoder {
    struct Place {
        var path: [any CodingKey]
        var type: any Any.Type
        fileprivate var error: any Error

        /// The type of a dictionary's keys when they are no names, so that the dictionary is read from an array.
        var unnamedKey: (any Any.Type)? { (type as? any DictionaryType.Type)?.unnamedKey }
    }

    fileprivate final class Trace {
        var place: Place?
        /// The innermost dictionary with other keys than names that could not be read.
        var dictionary: Place?
    }

    let base: any Decoder
    fileprivate let trace: Trace

    init(base: any Decoder) { self.init(base: base, trace: Trace()) }

    fileprivate init(base: any Decoder, trace: Trace) {
        self.base = base
        self.trace = trace
    }

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    /// `nil` when the decoding fails elsewhere, or not at all.
    static func place<Model: Decodable>(of type: Model.Type, in data: Data, _ decoder: JSONDecoder) -> Place? {
        trace(type, in: data, decoder)?.place
    }

    /// The dictionary that was to be read where an array was expected.
    static func dictionary<Model: Decodable>(
        of type: Model.Type, at path: [any CodingKey], in data: Data, _ decoder: JSONDecoder
    ) -> Place? {
        let place = trace(type, in: data, decoder)?.dictionary
        return place?.path.place == path.place ? place : nil
    }

    private static func trace<Model: Decodable>(
        _ type: Model.Type, in data: Data, _ decoder: JSONDecoder
    ) -> Trace? {
        guard let text = try? decoder.harmless(data) else { return nil }
        let trace = Trace()
        _ = try? decoder.decode(Root<Model>.self, from: text, configuration: trace)
        return trace
    }

    /// What the decoder reads when dictionaries may be objects, and durations numbers.
    static func value<Model: Decodable>(of type: Model.Type, in data: Data, _ decoder: JSONDecoder) throws -> Model? {
        guard let text = try? decoder.harmless(data) else { return nil }
        return try decoder.decode(Root<Model>.self, from: text, configuration: Trace()).model
    }

    private struct Root<Model: Decodable>: DecodableWithConfiguration {
        let model: Model

        init(from decoder: any Decoder, configuration: Trace) throws {
            do {
                model = try TracingDecoder(base: decoder, trace: configuration).decode(Model.self)
            } catch {
                // A model may have caught the last failure of a value, and thrown an error of its own.
                if let place = configuration.place, "\(place.error)" != "\(error)" { configuration.place = nil }
                throw error
            }
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedContainer(base: try base.container(keyedBy: type), trace: trace))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedContainer(base: try base.unkeyedContainer(), trace: trace)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueContainer(base: try base.singleValueContainer(), decoder: self)
    }

    /// Walks into a value that decodes itself; all others are left to the decoder beneath.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let isLeaf =
            ScalarText.isSpecial(type) || type == String.self || type is any FixedWidthInteger.Type
            || type is any BinaryFloatingPoint.Type
        if let dictionary = try dictionary(type) { return dictionary }
        if type == Duration.self, let duration = seconds as? Value { return duration }
        guard isLeaf else { return try decodeContainer(type) }
        do {
            let value = try base.singleValueContainer().decode(type)
            // A failure before this one was caught by a model that tries several types.
            trace.place = nil
            return value
        } catch {
            trace.place = Place(path: codingPath, type: type, error: error)
            throw error
        }
    }

    private var seconds: Duration? {
        guard let seconds = try? base.singleValueContainer().decode(Decimal.self) else { return nil }
        return DurationText.duration(from: seconds.description)
    }

    private func decodeContainer<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do {
            return try Value(from: self)
        } catch {
            if trace.dictionary == nil, type is any DictionaryType.Type {
                trace.dictionary = Place(path: codingPath, type: type, error: error)
            }
            throw error
        }
    }
}

extension TracingDecoder {
    private struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let base: KeyedDecodingContainer<Key>
        let trace: Trace
        var codingPath: [any CodingKey] { base.codingPath }
        var allKeys: [Key] { base.allKeys }

        private func value(_ key: Key) throws -> TracingDecoder {
            // Of what is missing the decoder makes `nil`.
            guard base.contains(key) else {
                throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "no such key"))
            }
            return TracingDecoder(base: try base.superDecoder(forKey: key), trace: trace)
        }

        func contains(_ key: Key) -> Bool { base.contains(key) }
        func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }
        func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(key).decode(type) }
        func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(key).decode(type) }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try value(key).decode(type)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try value(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try value(key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { TracingDecoder(base: try base.superDecoder(), trace: trace) }
        func superDecoder(forKey key: Key) throws -> any Decoder {
            TracingDecoder(base: try base.superDecoder(forKey: key), trace: trace)
        }
    }

    private struct UnkeyedContainer: UnkeyedDecodingContainer {
        var base: any UnkeyedDecodingContainer
        let trace: Trace
        var codingPath: [any CodingKey] { base.codingPath }
        var count: Int? { base.count }
        var isAtEnd: Bool { base.isAtEnd }
        var currentIndex: Int { base.currentIndex }

        /// When `read` throws, the element is not skipped.
        private mutating func take<Value>(_ read: (TracingDecoder) throws -> Value) throws -> Value {
            var next = base
            let value = try read(TracingDecoder(base: next.superDecoder(), trace: trace))
            base = next
            return value
        }

        mutating func decodeNil() throws -> Bool { try base.decodeNil() }
        mutating func decode(_ type: Int128.Type) throws -> Int128 { try take { try $0.decode(type) } }
        mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try take { try $0.decode(type) } }
        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try take { try $0.decode(type) } }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try take { try $0.container(keyedBy: type) }
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try take { try $0.unkeyedContainer() }
        }

        mutating func superDecoder() throws -> any Decoder { try take { $0 } }
    }

    private struct SingleValueContainer: SingleValueDecodingContainer {
        let base: any SingleValueDecodingContainer
        let decoder: TracingDecoder
        var codingPath: [any CodingKey] { base.codingPath }

        func decodeNil() -> Bool { base.decodeNil() }
        func decode(_ type: Int128.Type) throws -> Int128 { try decoder.decode(type) }
        func decode(_ type: UInt128.Type) throws -> UInt128 { try decoder.decode(type) }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
    }
}
