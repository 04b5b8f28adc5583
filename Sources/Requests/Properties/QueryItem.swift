// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A name and a value of a URL's query.
public struct QueryItem: Hashable, Sendable {
    public var name: String
    /// `nil` is sent as the name alone, without `=`.
    public var value: String?

    /// A `Date` is sent in ISO 8601, `Data` in base64, anything else as its description. An array is no value of one
    /// item: in ``QueryItems`` write `("tag", tags)`.
    public init(_ name: String, _ value: (any CustomStringConvertible)?) {
        self.name = name
        self.value = value.map(URLValue.text)
    }

    public init(_ name: Name, _ value: (any CustomStringConvertible)?) {
        self.init(name.rawValue, value)
    }

    public init(_ item: URLQueryItem) {
        self.init(item.name, item.value)
    }

    public var urlQueryItem: URLQueryItem { URLQueryItem(name: name, value: value) }

    /// The name of a query item. Add your own as static members.
    public struct Name: RawRepresentable, Hashable, Sendable {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }
}
