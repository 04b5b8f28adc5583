// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

/// A parameter's value on its way into a call.
///
/// Made by the code of an endpoint; its initialisers say which types a parameter may have. `nil` is left out. An optional
/// of an optional that holds `nil` is an explicit null: `null` in JSON, elsewhere what `FormOptions.nils` says.
@_documentation(visibility: internal)
public struct CallValue: ExpressibleByStringInterpolation {
    private enum Content {
        /// `nil`: left out.
        case absent
        case value(any Encodable)
        case failure(any Error)
    }

    private let content: Content

    /// What an encoder is given; `nil` when there is nothing to send.
    ///
    /// - Parameter what: for the message.
    /// - Throws: `encodingFailed` for a value that cannot be sent.
    func value(of what: String) throws -> (any Encodable)? {
        switch content {
        case .absent: nil
        case .value(let value): value
        case .failure(let error): throw NetworkClientError.encodingFailed(what, cause: error)
        }
    }

    /// Anything that is `Encodable`, and optionals of it.
    public init<Value: Encodable>(_ value: Value) {
        guard let optional = value as? any OptionalType else {
            content = .value(value)
            return
        }
        switch optional.wrappedValue {
        case nil: content = .absent
        case let wrapped? where isNil(wrapped): content = .value(JSONValue.null)
        case .some: content = .value(value)
        }
    }

    /// An optional of anything that is `Encodable`.
    @_disfavoredOverload
    public init(_ value: (any Encodable)?) {
        if let value, !isNil(value) { content = .value(value) } else { content = .absent }
    }

    @_documentation(visibility: internal)
    public init(stringLiteral value: String) { content = .value(value) }

    /// An enumeration with raw values is sent as its raw value.
    @_disfavoredOverload
    public init<Value: RawRepresentable>(_ value: Value?) where Value.RawValue: Encodable { self.init(declared: value) }

    /// Any other type that has a description is sent as its description. Of `some CustomStringConvertible` the value decides.
    @_disfavoredOverload
    public init<Value: CustomStringConvertible>(_ value: Value?) { self.init(declared: value) }

    @_disfavoredOverload
    public init<Value: RawRepresentable & CustomStringConvertible>(_ value: Value?) where Value.RawValue: Encodable {
        self.init(declared: value)
    }

    /// An optional existential. The second parameter ranks it below every other initialiser that fits.
    @_disfavoredOverload
    public init<Last>(_ value: (any CustomStringConvertible)?, _: Last.Type = Never.self) { self.init(declared: value) }

    /// Mixed values: those of JSON, and dates and models, which the call's encoder writes. Anything else fails the call.
    @_disfavoredOverload
    public init(_ members: [String: Any]?) { self.init(declared: members) }

    /// Mixed values: those of JSON, and dates and models, which the call's encoder writes. Anything else fails the call.
    @_disfavoredOverload
    public init(_ elements: [Any]?) { self.init(declared: elements) }

    /// An array of values that are sent as their raw value or description.
    @_disfavoredOverload
    public init<Element>(_ elements: [Element]?) { self.init(declared: elements) }

    /// An array of values that are sent as their raw value or description.
    @_disfavoredOverload
    public init<Element>(_ elements: ContiguousArray<Element>?) { self.init(declared: elements) }

    /// A set of values that are sent as their raw value or description.
    @_disfavoredOverload
    public init<Element>(_ elements: Set<Element>?) { self.init(declared: elements) }

    /// A slice is sent as an array.
    @_disfavoredOverload
    public init<Element: Encodable>(_ elements: ArraySlice<Element>?) { self.init(declared: elements) }

    /// A slice of values that are sent as their raw value or description.
    @_disfavoredOverload
    public init<Element>(_ elements: ArraySlice<Element>?) { self.init(declared: elements) }

    /// Pairs are sent as an object, in their order. Two with the same key make the call fail.
    @_disfavoredOverload
    public init<Value: Encodable>(_ pairs: KeyValuePairs<String, Value>?) { self.init(pairs: pairs) }

    /// Pairs whose keys or values are sent as their raw value or description.
    @_disfavoredOverload
    public init<Key, Value>(_ pairs: KeyValuePairs<Key, Value>?) { self.init(pairs: pairs) }

    /// A dictionary whose keys or values are sent as their raw value or description. Keys that are the same then make the
    /// call fail.
    @_disfavoredOverload
    public init<Key, Value>(_ members: [Key: Value]?) { self.init(declared: members) }

    /// For the message alone.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "a parameter of an endpoint has to be Encodable, or be sent as a description or a raw value"
    )
    public init<Value>(_ value: Value) { content = .absent }

    /// A value of which only the type is known that it was declared with.
    init<Declared>(declared value: Declared) {
        guard !isNil(value) else {
            content = .absent
            return
        }
        do { content = .value(try MixedValue(declared: value).encodable) } catch { content = .failure(error) }
    }

    private init<Key, Value>(pairs: KeyValuePairs<Key, Value>?) {
        guard let pairs else {
            content = .absent
            return
        }
        do { content = .value(try MixedValue(pairs: pairs).encodable) } catch { content = .failure(error) }
    }
}
