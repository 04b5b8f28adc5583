// SPDX-License-Identifier: Apache-2.0

/// A value that lives on a server, as a property.
///
///     struct Fruit: Codable { let name: String; let size: Int; let color: String }
///
///     @Rest(path: "fruitoftheday") var fruit: Fruit = Fruit(name: "strawberry", size: 3, color: "red")
///
///     print(fruit.name)                     // what is here now
///     let fresh = try await $fruit.get().value   // GET /fruitoftheday; `fruit` is what the server sent from then on
///     _ = try await $fruit.post(Fruit(…)).value  // POST /fruitoftheday
///
/// The property reads and writes the local value; ``projectedValue``, written `$fruit`, talks to the server. Where it talks to is
/// decided when it does, by a ``RestConfiguration``. The value may be read and written from any task while a request is under way;
/// to change a part of it while others do so too, use ``RestQuery/update(_:)``.
///
/// In a view of SwiftUI the value lives as long as the view's place in the hierarchy, and a change redraws the view. Elsewhere it lives
/// as long as the property, and `withObservationTracking` tells of changes.
///
/// - Note: `Parent` is the model of the response, `Value` the part of it that the property holds; they are the same type unless
///   the initialiser names a `parent`.
@propertyWrapper
public struct Rest<Parent: Codable & SendableMetatype, Value: Codable & Sendable> {
    var query: RestQueryImpl<Parent, Value>
    let memory: RestMemory<Parent, Value>

    @_documentation(visibility: internal)
    public var wrappedValue: Value {
        get { query.wrappedValue }
        nonmutating set { query.wrappedValue = newValue }
    }

    /// The query: what gets, posts and binds the value.
    public var projectedValue: RestQueryImpl<Parent, Value> { query }

    private init(
        _ value: Value, path: String, parameters: RestParameters, bearer: Bool, part: RestPart<Parent, Value>,
        configuration: RestConfiguration?
    ) {
        query = RestQueryImpl(
            value: value,
            metadata: RestQueryMetadata(
                path: path, params: parameters, bearer: bearer, part: part,
                configuration: configuration ?? .current))
        memory = RestMemory(initialValue: query)
    }

    // MARK: The response is the value

    /// - Parameters:
    ///   - wrappedValue: the value until the server is asked.
    ///   - path: appended to the configuration's address.
    ///   - params: query parameters of GET, sorted by name: see ``RestParameters``. Of any type: `["limit": 10, "on": true]`.
    ///   - bearer: whether the stored token is sent. Without one the request fails with ``RestQueryError/bearer``, unless
    ///     ``RestConfiguration/sendsAnonymously``.
    ///   - configuration: where requests go. Default: ``RestConfiguration/current``.
    @_disfavoredOverload
    public init(
        wrappedValue: Value, path: String, params: [String: any CustomStringConvertible] = [:], bearer: Bool = true,
        configuration: RestConfiguration? = nil
    ) where Parent == Value {
        self.init(
            wrappedValue, path: path, parameters: RestParameters(params), bearer: bearer, part: .whole,
            configuration: configuration)
    }

    /// With parameters of one type, whose names may be of any.
    public init<ParamKey: CustomStringConvertible, ParamValue: CustomStringConvertible>(
        wrappedValue: Value, path: String, params: [ParamKey: ParamValue], bearer: Bool = true,
        configuration: RestConfiguration? = nil
    ) where Parent == Value {
        self.init(
            wrappedValue, path: path, parameters: RestParameters(params), bearer: bearer, part: .whole,
            configuration: configuration)
    }

    // MARK: The value is a part of the response

    /// - `parent`: the model of the response, and of what is posted (``ParentCodable/wrap(child:)``).
    /// - `prop`: the part that the property holds.
    @_disfavoredOverload
    public init(
        wrappedValue: Value, path: String, params: [String: any CustomStringConvertible] = [:], bearer: Bool = true,
        parent: Parent.Type, prop: any KeyPath<Parent, Value> & Sendable, configuration: RestConfiguration? = nil
    ) where Parent: ParentCodable, Parent.ChildCodable == Value {
        self.init(
            wrappedValue, path: path, parameters: RestParameters(params), bearer: bearer, part: .part(prop),
            configuration: configuration)
    }

    /// A part of the response, with parameters of one type.
    public init<ParamKey: CustomStringConvertible, ParamValue: CustomStringConvertible>(
        wrappedValue: Value, path: String, params: [ParamKey: ParamValue], bearer: Bool = true, parent: Parent.Type,
        prop: any KeyPath<Parent, Value> & Sendable, configuration: RestConfiguration? = nil
    ) where Parent: ParentCodable, Parent.ChildCodable == Value {
        self.init(
            wrappedValue, path: path, parameters: RestParameters(params), bearer: bearer, part: .part(prop),
            configuration: configuration)
    }
}

extension Rest where Value: NoArgInit {
    /// Starts from `Value()`.
    public init<ParamKey: CustomStringConvertible, ParamValue: CustomStringConvertible>(
        path: String, params: [ParamKey: ParamValue], bearer: Bool = true, configuration: RestConfiguration? = nil
    ) where Parent == Value {
        self.init(wrappedValue: Value(), path: path, params: params, bearer: bearer, configuration: configuration)
    }

    /// Starts from `Value()`.
    @_disfavoredOverload
    public init(
        path: String, params: [String: any CustomStringConvertible] = [:], bearer: Bool = true,
        configuration: RestConfiguration? = nil
    ) where Parent == Value {
        self.init(wrappedValue: Value(), path: path, params: params, bearer: bearer, configuration: configuration)
    }

    /// Starts from `Value()`.
    public init<ParamKey: CustomStringConvertible, ParamValue: CustomStringConvertible>(
        path: String, params: [ParamKey: ParamValue], bearer: Bool = true, parent: Parent.Type,
        prop: any KeyPath<Parent, Value> & Sendable, configuration: RestConfiguration? = nil
    ) where Parent: ParentCodable, Parent.ChildCodable == Value {
        self.init(
            wrappedValue: Value(), path: path, params: params, bearer: bearer, parent: parent, prop: prop,
            configuration: configuration)
    }

    /// Starts from `Value()`.
    @_disfavoredOverload
    public init(
        path: String, params: [String: any CustomStringConvertible] = [:], bearer: Bool = true, parent: Parent.Type,
        prop: any KeyPath<Parent, Value> & Sendable, configuration: RestConfiguration? = nil
    ) where Parent: ParentCodable, Parent.ChildCodable == Value {
        self.init(
            wrappedValue: Value(), path: path, params: params, bearer: bearer, parent: parent, prop: prop,
            configuration: configuration)
    }
}

extension Rest: Sendable {}
