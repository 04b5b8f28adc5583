// SPDX-License-Identifier: Apache-2.0

postfix operator >?
postfix operator <!
infix operator <- : MultiplicationPrecedence
infix operator ++ : MultiplicationPrecedence
infix operator ->> : AdditionPrecedence
infix operator ??? : NilCoalescingPrecedence

/// GET: ``RestQuery/get()``.
public postfix func >? <Query: RestQuery>(query: Query) -> RestQueryResult<Query> { query.get() }

/// POST of the value that is here: ``RestQuery/post()``.
public postfix func <! <Query: RestQuery>(query: Query) -> RestQueryResult<Query> { query.post() }

/// POST of a new value: ``RestQuery/post(_:)``.
public func <- <Query: RestQuery>(query: Query, newValue: Query.QueryValue) -> RestQueryResult<Query> {
    query.post(newValue)
}

/// The query with more parameters, of which the new ones win; it shares the value.
public func ++ <Query: RestQuery, Key: CustomStringConvertible, Value: CustomStringConvertible>(
    query: Query, params: [Key: Value]
) -> Query {
    query.adding(params: RestParameters(params))
}

/// The query with more parameters, of more than one type.
@_disfavoredOverload
public func ++ <Query: RestQuery>(query: Query, params: [String: any CustomStringConvertible]) -> Query {
    query.adding(params: RestParameters(params))
}

/// Runs the second request after the first has succeeded; the first one's failure is the whole's.
///
///     ($account<! ->> $fruit>?).sink { … }
public func ->> <First: RestQuery, Second: RestQuery>(
    first: RestQueryResult<First>, second: RestQueryResult<Second>
) -> RestQueryResult<Second> {
    RestQueryResult(query: second.query) {
        _ = try await first.outcome()
        return try await second.outcome()
    }
}

/// A binding to a value that may be missing, with a default in its place.
public func ??? <Value: Sendable>(binding: Binding<Value?>, defaultValue: Value) -> Binding<Value> {
    Binding(get: { binding.wrappedValue ?? defaultValue }, set: { binding.wrappedValue = $0 })
}

/// A binding to a value that may be missing, with a default in its place.
public func ?? <Value: Sendable>(binding: Binding<Value?>, defaultValue: Value) -> Binding<Value> {
    binding ??? defaultValue
}
