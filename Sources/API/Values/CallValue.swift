// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

/// A parameter's value on its way into a call.
///
/// Made by the code of an endpoint; its initialisers say which types a parameter may have.
public struct CallValue: ExpressibleByStringInterpolation {
    enum Content {
        /// `nil`: left out.
        case absent
        case model(any Encodable)
        case failure(any Error)
    }

    let content: Content

    /// Anything that is `Encodable`, and optionals of it.
    public init<Value: Encodable>(_ value: Value) {
        content = isNil(value) ? .absent : .model(value)
    }

    /// An optional of anything that is `Encodable`.
    @_disfavoredOverload
    public init(_ value: (any Encodable)?) {
        if let value, !isNil(value) { content = .model(value) } else { content = .absent }
    }

    public init(stringLiteral value: String) { content = .model(value) }

    /// An enumeration with raw values is sent as its raw value.
    @_disfavoredOverload
    public init<Value: RawRepresentable>(_ value: Value?) where Value.RawValue: Encodable {
        content = value.map { .model($0.rawValue) } ?? .absent
    }

    /// Any other type that has a description is sent as its description. Of `some CustomStringConvertible` the value decides.
    @_disfavoredOverload
    public init<Value: CustomStringConvertible>(_ value: Value?) {
        content = value.map { .model($0 as? any Encodable ?? $0.description) } ?? .absent
    }

    @_disfavoredOverload
    public init<Value: RawRepresentable & CustomStringConvertible>(_ value: Value?) where Value.RawValue: Encodable {
        content = value.map { .model($0.rawValue) } ?? .absent
    }

    /// An optional existential. The second parameter ranks it below every other initialiser that fits.
    @_disfavoredOverload
    public init<Last>(_ value: (any CustomStringConvertible)?, _: Last.Type = Never.self) {
        content = value.map { .model($0 as? any Encodable ?? $0.description) } ?? .absent
    }

    /// Mixed values: those of JSON, and dates and models, which the call's encoder writes. Anything else fails the call.
    @_disfavoredOverload
    public init(_ members: [String: Any]?) { self.init(mixed: members) { $0 } }

    /// Mixed values: those of JSON, and dates and models, which the call's encoder writes. Anything else fails the call.
    @_disfavoredOverload
    public init(_ elements: [Any]?) { self.init(mixed: elements) { $0 } }

    /// An array of values that are sent as their raw value or description.
    @_disfavoredOverload
    public init<Element>(_ elements: [Element]?) { self.init(mixed: elements) { try $0.plain(depth: 1) } }

    /// An array of values that are sent as their raw value or description.
    @_disfavoredOverload
    public init<Element>(_ elements: ContiguousArray<Element>?) {
        self.init(mixed: elements) { try $0.plain(depth: 1) }
    }

    /// A set of values that are sent as their raw value or description.
    @_disfavoredOverload
    public init<Element>(_ elements: Set<Element>?) { self.init(mixed: elements) { try $0.plain(depth: 1) } }

    /// A slice is sent as an array.
    @_disfavoredOverload
    public init<Element: Encodable>(_ elements: ArraySlice<Element>?) {
        let elements: [Element]? = elements.map { Array($0) }
        self.init(elements)
    }

    /// A slice of values that are sent as their raw value or description.
    @_disfavoredOverload
    public init<Element>(_ elements: ArraySlice<Element>?) {
        let elements: [Element]? = elements.map { Array($0) }
        self.init(elements)
    }

    /// Pairs are sent as an object. In a query and in a form they keep their order, and two with the same key are an
    /// error; in JSON the last counts.
    @_disfavoredOverload
    public init<Value: Encodable>(_ pairs: KeyValuePairs<String, Value>?) {
        content =
            pairs.map { .model(FieldsModel(entries: $0.map { CallEntry(name: $0.key, model: $0.value) })) } ?? .absent
    }

    /// Pairs whose keys or values are sent as their raw value or description.
    @_disfavoredOverload
    public init<Key, Value>(_ pairs: KeyValuePairs<Key, Value>?) {
        guard let pairs else {
            content = .absent
            return
        }
        do {
            var entries: [CallEntry] = []
            for (key, value) in pairs {
                let name = try Self.name(of: key)
                let mixed = try MixedValue(Self.plain(value, depth: 1), path: [StringKey(name)])
                entries.append(CallEntry(name: name, model: mixed.encodable))
            }
            content = .model(FieldsModel(entries: entries))
        } catch {
            content = .failure(error)
        }
    }

    /// A dictionary whose keys or values are sent as their raw value or description. Keys that are the same then make the
    /// call fail.
    @_disfavoredOverload
    public init<Key, Value>(_ members: [Key: Value]?) { self.init(mixed: members) { try $0.plain(depth: 1) } }

    /// A value of which only the type is known that it was declared with.
    init<Declared>(declared value: Declared) {
        self.init(mixed: isNil(value) ? nil : value) { try Self.plain($0, depth: 0) }
    }

    /// The raw value or description of a value whose declared type has one. Of `Any` none is taken: nobody has said that
    /// what it holds may be sent in this way.
    fileprivate static func plain<Declared>(_ value: Declared, depth: Int) throws -> Any {
        // What is nested deeper is refused by `MixedValue`.
        if !hasText(Declared.self) || value is any Encodable || depth > JSONValue.maximumDepth { return value }
        if let elements = value as? any PlainCollection { return try elements.plain(depth: depth + 1) }
        if (try? MixedValue(value)) != nil { return value }
        if let raw = (value as? any RawRepresentable)?.rawValue as? any Encodable { return raw }
        return (value as? any CustomStringConvertible)?.description ?? value
    }

    private static func hasText(_ type: Any.Type) -> Bool {
        if let optional = type as? any OptionalType.Type { return hasText(optional.wrappedType) }
        return type is any RawRepresentable.Type || type == (any CustomStringConvertible).self
            || type is any CustomStringConvertible.Type && type != AnyHashable.self
    }

    static func named<Key, Value>(_ members: [Key: Value]) throws -> [String: Value] {
        var result: [String: Value] = [:]
        for (key, value) in members {
            guard result.updateValue(value, forKey: try name(of: key)) == nil else { throw keyWithoutText }
        }
        return result
    }

    /// The raw value or description of a key.
    static func name(of key: Any) throws -> String {
        let base = (key as? AnyHashable)?.base ?? key
        let text = ((base as? any RawRepresentable)?.rawValue ?? base) as? any CustomStringConvertible
        guard let name = text?.description else { throw keyWithoutText }
        return name
    }

    private static var keyWithoutText: NetworkClientError {
        NetworkClientError(.encodingFailed, "a key has no text, or that of another")
    }

    /// For the message alone.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "a parameter of an endpoint has to be Encodable, or be sent as a description or a raw value"
    )
    public init<Value>(_ value: Value) { content = .absent }

    private init<Source>(mixed source: Source?, _ plain: (Source) throws -> Any) {
        guard let source else {
            content = .absent
            return
        }
        do { content = .model(try MixedValue(plain(source)).encodable) } catch { content = .failure(error) }
    }
}

/// A collection that knows what type its elements were declared with.
private protocol PlainCollection {
    associatedtype Plain

    /// With raw values and descriptions in the place of what JSON does not have.
    func plain(depth: Int) throws -> Plain
}

extension Array: PlainCollection {
    fileprivate func plain(depth: Int) throws -> [Any] { try map { try CallValue.plain($0, depth: depth) } }
}

extension ContiguousArray: PlainCollection {
    fileprivate func plain(depth: Int) throws -> [Any] { try Array(self).plain(depth: depth) }
}

extension ArraySlice: PlainCollection {
    fileprivate func plain(depth: Int) throws -> [Any] { try Array(self).plain(depth: depth) }
}

extension Set: PlainCollection {
    fileprivate func plain(depth: Int) throws -> [Any] { try map { try CallValue.plain($0, depth: depth) } }
}

extension Dictionary: PlainCollection {
    fileprivate func plain(depth: Int) throws -> [String: Any] {
        try CallValue.named(self).mapValues { try CallValue.plain($0, depth: depth) }
    }
}
