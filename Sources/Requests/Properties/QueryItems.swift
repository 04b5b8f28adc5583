// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

public import Foundation

/// The query of a request's URL, in order.
///
///     QueryItems {
///         ("name", "firstname")
///         ("filter", true)
///         if let page { QueryItem("page", page) }
///     }
///
/// An array repeats the name, and an empty one leaves it out. A dictionary or a model is written as `name[key]`, an item
/// for each entry or property. What is `Encodable` is sent as it encodes itself: dates in ISO 8601, data in base64,
/// durations in seconds. Any other type is sent as its raw value, else as its description. Sending a request with a value
/// that has no text, such as a file URL, fails. `nil` is sent as the name alone, without `=`.
///
/// The items come after those that stand in the base URL. Each is encoded once, all but the unreserved characters of
/// RFC 3986, so that a `+` in a value arrives as a `+`.
public struct QueryItems: RequestProperty {
    public var value: [URLQueryItem]
    /// The first of those that values had; thrown when the request is sent.
    var failure: ValueFailure?

    public init(value: [URLQueryItem]) {
        self.value = value
    }

    init(value: [URLQueryItem], failure: ValueFailure?) {
        self.value = value
        self.failure = failure
    }

    /// A model as items, or a value as `name[…]`.
    ///
    ///     QueryItems(filter, encoder: QueryEncoder(FormOptions(arrays: .commas)))
    ///
    /// - `name`: `nil` makes the properties of the model names of their own.
    public init(_ model: some Encodable, named name: String? = nil, encoder: QueryEncoder = QueryEncoder()) {
        do {
            self.init(value: try encoder.items(from: model, named: name))
        } catch {
            self.init(value: [], failure: ValueFailure("query", error))
        }
    }

    public init(@Builder _ items: () -> QueryItems) {
        self = items()
    }

    public func append(to property: QueryItems) -> QueryItems {
        QueryItems(value: value + property.value, failure: failure ?? property.failure)
    }

    @_documentation(visibility: internal)
    public static var slot: WritableKeyPath<Request.Properties, QueryItems> { \.queryItems }
}

extension QueryItems {
    @_documentation(visibility: internal)
    @resultBuilder public enum Builder: ListBuilder {
        public static func buildExpression(_ items: QueryItems?) -> QueryItems { items ?? buildBlock() }
        public static func buildExpression(_ item: QueryItem?) -> QueryItems {
            QueryItems(value: item.map { [$0.urlQueryItem] } ?? [], failure: item?.failure)
        }
        public static func buildExpression(_ item: URLQueryItem?) -> QueryItems {
            QueryItems(value: item.map { [$0] } ?? [])
        }
        public static func buildExpression(_ items: [URLQueryItem]?) -> QueryItems { QueryItems(value: items ?? []) }
        public static func buildExpression(_ items: [QueryItem]) -> QueryItems {
            QueryItems(value: items.map(\.urlQueryItem), failure: items.firstNonNil(\.failure))
        }
        public static func buildExpression(_ item: (String, (any CustomStringConvertible)?)) -> QueryItems {
            self.items(item.0, item.1)
        }
        public static func buildExpression<Value: Encodable>(_ item: (String, Value)) -> QueryItems {
            self.items(item.0, item.1)
        }
        @_disfavoredOverload
        public static func buildExpression<Value: RawRepresentable>(
            _ item: (String, Value?)
        ) -> QueryItems where Value.RawValue: Encodable {
            self.items(item.0, item.1)
        }

        private static func items<Declared>(_ name: String, _ value: Declared) -> QueryItems {
            if isNil(value) { return QueryItems(value: [URLQueryItem(name: name, value: nil)]) }
            do {
                return QueryItems(try MixedValue(declared: value), named: name)
            } catch {
                return QueryItems(value: [], failure: ValueFailure("query", error))
            }
        }

        /// For the message alone.
        @_disfavoredOverload
        @available(
            *, unavailable,
            message: "a value in a query or a form has to be Encodable, or have a raw value or a description"
        )
        public static func buildExpression<Value>(_ item: (String, Value)) -> QueryItems { QueryItems(value: []) }

        public static func buildBlock() -> QueryItems { QueryItems(value: []) }
        // In one step: one by one, each item would be copied for each that follows.
        public static func buildArray(_ parts: [QueryItems]) -> QueryItems {
            QueryItems(value: parts.flatMap(\.value), failure: parts.firstNonNil(\.failure))
        }
    }
}

extension Collection {
    func firstNonNil<Result>(_ property: (Element) -> Result?) -> Result? { lazy.compactMap(property).first }
}
