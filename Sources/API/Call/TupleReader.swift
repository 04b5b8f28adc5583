// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

/// Reads a tuple from a response, element by element.
///
/// Elements are found by their labels in an object. Where the response has an array in place of the object, they are
/// taken from it in their order. The closures that use it are written by an endpoint's macro:
///
///     // -> (list: [(id: String, name: String)], count: Int)
///     try await call.send { tuple in
///         (list: try tuple.array("list") { (id: try $0.value("id"), name: try $0.value("name")) },
///          count: try tuple.value("count"))
///     }
@_documentation(visibility: internal)
public struct TupleReader {
    private enum Source {
        /// The place itself; what it is has not been asked yet.
        case undecided(any Decoder)
        case object(KeyedDecodingContainer<StringKey>)
        case array(any UnkeyedDecodingContainer)
    }

    private var source: Source

    init(_ decoder: any Decoder) { source = .undecided(decoder) }

    // MARK: Elements, by label

    /// The next element. `nil` where it is missing and the type is optional.
    public mutating func value<Value: Decodable>(_ label: String) throws -> Value {
        if let decoder = try element(label) { return try decoder.singleValueContainer().decode(Value.self) }
        if let absent = (Value.self as? any OptionalType.Type)?.absent as? Value { return absent }
        throw missing(label)
    }

    /// The next element, a tuple of its own.
    public mutating func tuple<Tuple>(_ label: String, _ read: (inout TupleReader) throws -> Tuple) throws -> Tuple {
        try required(label, read)
    }

    /// The next element, an array with a tuple in it.
    public mutating func array<Element>(_ label: String, _ read: (inout TupleReader) throws -> Element) throws
        -> [Element]
    {
        try required(label) { try $0.array(read) }
    }

    /// The next element, a dictionary with a tuple in it.
    public mutating func dictionary<Element>(
        _ label: String, _ read: @escaping (inout TupleReader) throws -> Element
    ) throws -> [String: Element] {
        try required(label) { try $0.dictionary(read) }
    }

    /// The next element, an optional with a tuple in it: `nil` where it is missing or `null`.
    public mutating func optional<Wrapped>(
        _ label: String, _ read: (inout TupleReader) throws -> Wrapped
    ) throws -> Wrapped? {
        guard let decoder = try element(label) else { return nil }
        var reader = TupleReader(decoder)
        return try reader.optional(read)
    }

    // MARK: The place itself

    public mutating func value<Value: Decodable>() throws -> Value {
        try decoder().singleValueContainer().decode(Value.self)
    }

    public mutating func array<Element>(_ read: (inout TupleReader) throws -> Element) throws -> [Element] {
        var container = try decoder().unkeyedContainer()
        var elements: [Element] = []
        while !container.isAtEnd {
            var reader = TupleReader(try container.superDecoder())
            elements.append(try read(&reader))
        }
        return elements
    }

    public mutating func dictionary<Element>(
        _ read: @escaping (inout TupleReader) throws -> Element
    ) throws -> [String: Element] {
        // As a dictionary, because a decoder may rename the keys of anything else.
        let place = try decoder().singleValueContainer()
        return try TupleReading.$current.withValue(TupleReading(read: read)) {
            try place.decode([String: TupleModel<Element>].self).mapValues(\.tuple)
        }
    }

    public mutating func optional<Wrapped>(_ read: (inout TupleReader) throws -> Wrapped) throws -> Wrapped? {
        if try decoder().singleValueContainer().decodeNil() { return nil }
        return try read(&self)
    }

    // MARK: -

    private func decoder() throws -> any Decoder {
        guard case .undecided(let decoder) = source else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "the place has been read as a tuple"))
        }
        return decoder
    }

    /// Where the next element is; `nil` when it is missing.
    ///
    /// An array is asked for only when there is no object, so that the error speaks of the object.
    private mutating func element(_ label: String) throws -> (any Decoder)? {
        if case .undecided(let decoder) = source {
            do {
                source = .object(try decoder.container(keyedBy: StringKey.self))
            } catch {
                guard let array = try? decoder.unkeyedContainer() else { throw error }
                source = .array(array)
            }
        }
        switch source {
        case .undecided: return nil
        case .object(let container):
            let key = StringKey(label)
            return container.contains(key) ? try container.superDecoder(forKey: key) : nil
        case .array(var container):
            if container.isAtEnd { return nil }
            let decoder = try container.superDecoder()
            source = .array(container)
            return decoder
        }
    }

    private mutating func required<Value>(_ label: String, _ read: (inout TupleReader) throws -> Value) throws -> Value
    {
        guard let decoder = try element(label) else { throw missing(label) }
        var reader = TupleReader(decoder)
        return try read(&reader)
    }

    private func missing(_ label: String) -> DecodingError {
        let path: [any CodingKey] = if case .object(let container) = source { container.codingPath } else { [] }
        return .keyNotFound(
            StringKey(label), .init(codingPath: path, debugDescription: "the response has no element '\(label)'"))
    }
}
