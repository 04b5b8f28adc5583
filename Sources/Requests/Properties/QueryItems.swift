// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The query of a request's URL, in order.
///
///     QueryItems {
///         ("name", "firstname")
///         ("filter", true)
///         if let page { QueryItem("page", page) }
///     }
///
/// An array repeats the name, and an empty one leaves it out. A dictionary is written as `name[key]`, an item for each
/// entry. An enumeration is sent as its description, else as its raw value; other values as in a ``QueryItem``.
///
/// The items come after those that stand in the base URL. Each is encoded once, all but the unreserved characters of
/// RFC 3986, so that a `+` in a value arrives as a `+`.
public struct QueryItems: RequestProperty {
    public var value: [URLQueryItem]

    public init(value: [URLQueryItem]) {
        self.value = value
    }

    public init(@Builder _ items: () -> QueryItems) {
        self = items()
    }

    public func append(to property: QueryItems) -> QueryItems { QueryItems(value: value + property.value) }

    public static var slot: WritableKeyPath<Request.Properties, QueryItems> { \.queryItems }
}

extension QueryItems {
    @resultBuilder public enum Builder: ListBuilder {
        public static func buildExpression(_ items: QueryItems?) -> QueryItems { items ?? buildBlock() }
        public static func buildExpression(_ item: QueryItem?) -> QueryItems {
            QueryItems(value: item.map { [$0.urlQueryItem] } ?? [])
        }
        public static func buildExpression(_ item: URLQueryItem?) -> QueryItems {
            QueryItems(value: item.map { [$0] } ?? [])
        }
        public static func buildExpression(_ items: [URLQueryItem]?) -> QueryItems { QueryItems(value: items ?? []) }
        public static func buildExpression(_ items: [QueryItem]) -> QueryItems {
            QueryItems(value: items.map(\.urlQueryItem))
        }
        public static func buildExpression(_ item: (String, (any CustomStringConvertible)?)) -> QueryItems {
            guard let value = item.1 else { return QueryItems(value: [URLQueryItem(name: item.0, value: nil)]) }
            let items = URLValue.items(named: item.0, of: value)
            return QueryItems(value: items.map { URLQueryItem(name: $0.name, value: $0.text) })
        }
        @_disfavoredOverload
        public static func buildExpression<Value: RawRepresentable>(
            _ item: (String, Value?)
        ) -> QueryItems where Value.RawValue: CustomStringConvertible {
            buildExpression((item.0, item.1?.rawValue))
        }
        /// For the message alone.
        @_disfavoredOverload
        @available(
            *, unavailable, message: "a value in a query or a form needs a description, or a raw value that has one"
        )
        public static func buildExpression<Value>(_ item: (String, Value)) -> QueryItems { QueryItems(value: []) }

        public static func buildBlock() -> QueryItems { QueryItems(value: []) }
        // In one step: one by one, each item would be copied for each that follows.
        public static func buildArray(_ parts: [QueryItems]) -> QueryItems { QueryItems(value: parts.flatMap(\.value)) }
    }
}
