// SPDX-License-Identifier: Apache-2.0

import StrataEncoding

/// A parameter's value on its way into a call.
///
/// Made by the code of an endpoint; its initialisers say which types a parameter may have.
public struct CallValue: ExpressibleByStringLiteral {
    enum Content {
        /// `nil`: left out.
        case absent
        case model(any Encodable)
        case failure(any Error)
    }

    let content: Content

    /// Anything that is `Encodable`, and optionals of it.
    public init<Value: Encodable>(_ value: Value) {
        content = Self.isNil(value) ? .absent : .model(value)
    }

    public init(stringLiteral value: String) { content = .model(value) }

    /// An enumeration with raw values goes out as its raw value.
    @_disfavoredOverload
    public init<Value: RawRepresentable>(_ value: Value?) where Value.RawValue: Encodable {
        content = value.map { .model($0.rawValue) } ?? .absent
    }

    /// Any other type that has a description goes out as its description.
    @_disfavoredOverload
    public init<Value: CustomStringConvertible>(_ value: Value?) {
        content = value.map { .model($0.description) } ?? .absent
    }

    @_disfavoredOverload
    public init<Value: RawRepresentable & CustomStringConvertible>(_ value: Value?) where Value.RawValue: Encodable {
        content = value.map { .model($0.rawValue) } ?? .absent
    }

    /// Mixed values, turned into JSON at once; what JSON cannot hold makes the call fail.
    public init(_ members: [String: Any]?) { self.init(json: members) { try JSONValue($0.mapValues(Self.plain)) } }

    /// Mixed values, turned into JSON at once; what JSON cannot hold makes the call fail.
    public init(_ elements: [Any]?) { self.init(json: elements) { try JSONValue($0.map(Self.plain)) } }

    /// Arrays of values that go out as their raw value or description arrive as arrays of any values.
    private static func plain(_ value: Any) -> Any {
        if (try? JSONValue([value])) != nil || value is [Any] || value is [AnyHashable: Any] { return value }
        if let raw = (value as? any RawRepresentable)?.rawValue as? any Encodable { return raw }
        return (value as? any CustomStringConvertible)?.description ?? value
    }

    /// For the message alone.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "a parameter of an endpoint has to be Encodable, or be sent as a description or a raw value"
    )
    public init<Value>(_ value: Value) { content = .absent }

    private init<Source>(json source: Source?, _ convert: (Source) throws -> JSONValue) {
        guard let source else {
            content = .absent
            return
        }
        do { content = .model(try convert(source)) } catch { content = .failure(error) }
    }

    private static func isNil(_ value: any Encodable) -> Bool {
        guard let optional = value as? any OptionalValue else { return false }
        return optional.isNil
    }
}

/// `Optional`, to ask any value whether it is one and `nil`.
private protocol OptionalValue {
    var isNil: Bool { get }
}

extension Optional: OptionalValue {
    /// Also when a value is there that is `nil` itself.
    var isNil: Bool {
        guard let self else { return true }
        return (self as? any OptionalValue)?.isNil ?? false
    }
}
