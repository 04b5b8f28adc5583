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
        public static func buildExpression(_ items: QueryItems) -> QueryItems { items }
        public static func buildExpression(_ item: QueryItem?) -> QueryItems {
            QueryItems(value: item.map { [$0.urlQueryItem] } ?? [])
        }
        public static func buildExpression(_ item: URLQueryItem) -> QueryItems { QueryItems(value: [item]) }
        public static func buildExpression(_ items: [URLQueryItem]) -> QueryItems { QueryItems(value: items) }
        public static func buildExpression(_ items: [QueryItem]) -> QueryItems {
            QueryItems(value: items.map(\.urlQueryItem))
        }
        public static func buildExpression(_ item: (String, (any CustomStringConvertible)?)) -> QueryItems {
            QueryItems(value: [QueryItem(item.0, item.1).urlQueryItem])
        }

        public static func buildBlock() -> QueryItems { QueryItems(value: []) }
    }
}
