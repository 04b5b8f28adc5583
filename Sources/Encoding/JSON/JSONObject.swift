// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// The members of a JSON object, in no order.
///
///     var object: JSONObject = ["name": "Ada"]
///     object["age"] = 36
///     for (name, value) in object { … }
///
/// Two names are the same when their bytes are (RFC 8259 §8.3). A dictionary with `String` keys takes é in one scalar and
/// in two for the same, and would lose a member.
public struct JSONObject: Hashable, Sendable {
    private var members: [ExactText: JSONValue]

    public init() { members = [:] }

    /// Of equal names the last counts.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        self.members = Dictionary(members.lazy.map { (ExactText($0.0), $0.1) }) { $1 }
    }

    public init(_ members: [String: JSONValue]) {
        self.init(members.lazy.map { ($0.key, $0.value) })
    }

    /// The member of this name; setting `nil` removes it.
    public subscript(name: String) -> JSONValue? {
        get { members[ExactText(name)] }
        set { members[ExactText(name)] = newValue }
    }

    public subscript(name: String, default value: @autoclosure () -> JSONValue) -> JSONValue {
        get { members[ExactText(name)] ?? value() }
        set { members[ExactText(name)] = newValue }
    }

    public var keys: [String] { members.keys.map(\.text) }

    public var values: [JSONValue] { Array(members.values) }

    /// As a dictionary of other values. Of names that a dictionary takes for the same, one stays.
    public func mapValues<Value>(_ transform: (JSONValue) throws -> Value) rethrows -> [String: Value] {
        try compactMapValues(transform)
    }

    /// The same without the values that become `nil`.
    public func compactMapValues<Value>(_ transform: (JSONValue) throws -> Value?) rethrows -> [String: Value] {
        var result: [String: Value] = [:]
        for (name, value) in self { if let value = try transform(value) { result[name] = value } }
        return result
    }

    /// - Throws: an `EncodingError` when two names are the same for a dictionary.
    func dictionary(at path: [any CodingKey]) throws -> [String: JSONValue] {
        try Dictionary(lazy.map { ($0.key, $0.value) }) { _, _ in
            throw EncodingError.invalid(
                self, at: path, "two names differ in their bytes alone, which serialized() alone can write")
        }
    }
}

extension JSONObject: Collection {
    @_documentation(visibility: internal)
    public struct Index: Comparable, Sendable {
        fileprivate let value: Dictionary<ExactText, JSONValue>.Index

        public static func < (one: Index, other: Index) -> Bool { one.value < other.value }
    }

    @_documentation(visibility: internal)
    public var startIndex: Index { Index(value: members.startIndex) }
    @_documentation(visibility: internal)
    public var endIndex: Index { Index(value: members.endIndex) }
    @_documentation(visibility: internal)
    public var count: Int { members.count }

    @_documentation(visibility: internal)
    public func index(after index: Index) -> Index { Index(value: members.index(after: index.value)) }

    @_documentation(visibility: internal)
    public subscript(index: Index) -> (key: String, value: JSONValue) {
        let member = members[index.value]
        return (member.key.text, member.value)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Of equal names the last counts.
    @_documentation(visibility: internal)
    public init(dictionaryLiteral members: (String, JSONValue)...) { self.init(members) }
}

extension JSONObject: CustomStringConvertible {
    /// The JSON text.
    public var description: String { JSONValue.object(self).description }
}
