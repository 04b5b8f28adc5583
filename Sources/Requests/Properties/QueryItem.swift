// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

public import Foundation

/// A name and a value of a URL's query.
public struct QueryItem: Hashable, Sendable {
    public var name: String
    /// `nil` is sent as the name alone, without `=`.
    public var value: String?
    /// Why the value has no text; thrown when the request is sent.
    var failure: ValueFailure?

    /// The value is sent as the one text that it has in every query: see ``QueryItems``. An array is no value of one
    /// item: in ``QueryItems`` write `("tag", tags)`. Sending a request with what has no text fails.
    public init(_ name: String, _ value: (any CustomStringConvertible)?) {
        self.name = name
        guard let value else { return }
        do {
            self.value = try QueryEncoder().text(of: MixedValue(declared: value).encodable, named: name)
        } catch {
            failure = ValueFailure("query item", error)
        }
    }

    public init(_ name: Name, _ value: (any CustomStringConvertible)?) {
        self.init(name.rawValue, value)
    }

    public init(_ item: URLQueryItem) {
        name = item.name
        value = item.value
    }

    public var urlQueryItem: URLQueryItem { URLQueryItem(name: name, value: value) }

    /// The name of a query item. Add your own as static members.
    public struct Name: RawRepresentable, Hashable, Sendable {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }
}
