// SPDX-License-Identifier: Apache-2.0

/// What the `$` of a ``Rest`` property gives: it gets, posts and binds the property's value.
///
/// Members of the value are reached as bindings: `$account.email` is a `Binding<String>`. A member that is a `let` gives a binding that
/// reads; writing to it does nothing.
@dynamicMemberLookup
public protocol RestQuery: AnyObject, Sendable {
    associatedtype QueryParent: Codable & SendableMetatype
    associatedtype QueryValue: Codable & Sendable

    var metadata: RestQueryMetadata<QueryParent, QueryValue> { get }
    var wrappedValue: QueryValue { get set }
    /// A binding to the whole value.
    var projectedValue: Binding<QueryValue> { get }

    /// Changes the value in one step: what others write at the same time is not lost.
    ///
    /// `change` may read the property, which still has its old value, and may write it only through its argument.
    func update(_ change: (inout QueryValue) -> Void)

    /// GET: what the response holds becomes the value.
    func get() -> RestQueryResult<Self>
    /// POST of the value as it is when the result is first consumed. What is written meanwhile stays.
    func post() -> RestQueryResult<Self>
    /// POST of a new value, which becomes the property's when the server has accepted it, unless all who wait for the
    /// result have given up by then.
    func post(_ newValue: QueryValue) -> RestQueryResult<Self>
    /// The same query with more parameters, of which the new ones win. It shares the value.
    func adding(params: RestParameters) -> Self
}

extension RestQuery {
    /// The same query with more parameters, of which the new ones win. It shares the value.
    public func adding(params: [String: String]) -> Self { adding(params: RestParameters(params.mapValues { [$0] })) }
}

extension RestQuery {
    public subscript<Subject>(dynamicMember keyPath: any KeyPath<QueryValue, Subject> & Sendable) -> Binding<Subject> {
        Binding(get: { self.wrappedValue[keyPath: keyPath] }, set: { _ in })
    }

    public subscript<Subject>(
        dynamicMember keyPath: any WritableKeyPath<QueryValue, Subject> & Sendable
    ) -> Binding<Subject> {
        Binding(
            get: { self.wrappedValue[keyPath: keyPath] },
            update: { change in self.update { change(&$0[keyPath: keyPath]) } })
    }
}
