// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The query of a request: names and values, each encoded once.
///
///     query: ["page": 2, "sort": order, "labels": ["bug", "help wanted"]]
///
/// A value is written as ``QueryEncoder`` does it; one that is `nil` is left out.
public struct RequestQuery: Sendable, ExpressibleByDictionaryLiteral {
    private let encoded: Result<[URLQueryItem], any Error>

    @_documentation(visibility: internal)
    public init(dictionaryLiteral elements: (String, (any Encodable)?)...) {
        self.init { encoder in
            try elements.flatMap { name, value in
                try value.map { isNil($0) ? [] : try encoder.items(from: $0, named: name) } ?? []
            }
        }
    }

    /// The properties of a model, or the members of a dictionary.
    public init(_ model: some Encodable) { self.init { try $0.items(from: model) } }

    /// Items as they are, such as those of a ``QueryEncoder`` with options of its own.
    public init(items: [URLQueryItem]) { self.init { _ in items } }

    private init(_ items: (QueryEncoder) throws -> [URLQueryItem]) {
        encoded = Result { try items(QueryEncoder()) }
    }

    /// - Throws: ``StrataCore/NetworkClientError`` with `encodingFailed`.
    var items: [URLQueryItem]? {
        get throws {
            do {
                let items = try encoded.get()
                return items.isEmpty ? nil : items
            } catch {
                var error = NetworkClientError.encodingFailed("query", cause: error)
                error.exchange = ExchangeRecord()
                throw error
            }
        }
    }
}
