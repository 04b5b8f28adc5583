// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding

/// The query parameters of a ``Rest`` property: to each name the texts that are sent under it.
///
/// Values have the texts that they have in every query: dates in ISO 8601, data in base64, durations in seconds. A list
/// repeats its name, and a dictionary or a model makes names such as `filter[status]`. What is not `Encodable` is sent as
/// its raw value, else as its description. A value that has no text, such as a file URL, makes the request fail, and so do
/// two that make one name.
public struct RestParameters: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    public private(set) var values: [String: [String]]
    /// What is wrong with a value: for the request, since a property's initialiser does not throw.
    private(set) var failure: NetworkClientError?

    public init(_ values: [String: [String]] = [:]) { self.values = values }

    @_documentation(visibility: internal)
    public init(dictionaryLiteral elements: (String, any CustomStringConvertible)...) {
        self.init(elements)
    }

    init<Name, Value>(_ parameters: [Name: Value]) { self.init(parameters.map { ($0, $1) }) }

    private init<Name, Value>(_ parameters: [(Name, Value)]) {
        values = [:]
        do {
            let named = try parameters.map { name, value in
                let model = try MixedValue(declared: value).encodable
                return NamedValue(try MixedValue.name(of: name), model, isExplicit: true)
            }
            guard Set(named.map(\.name)).count == named.count else {
                throw NetworkClientError(.encodingFailed, "two parameters have one name")
            }
            for item in try QueryEncoder().entries(of: named).map(\.queryItem) {
                values[item.name, default: []].append(item.value ?? "")
            }
        } catch {
            failure = .encodingFailed("parameters", cause: error)
        }
    }

    /// Of parameters that both have, the new ones count.
    func merging(_ new: RestParameters) -> RestParameters {
        var result = self
        result.values.merge(new.values) { $1 }
        result.failure = failure ?? new.failure
        return result
    }

    /// Sorted by their names.
    var items: [(name: String, value: String)] {
        get throws {
            if let failure { throw failure }
            return values.sorted { $0.key < $1.key }.flatMap { name, texts in texts.map { (name, $0) } }
        }
    }

    @_documentation(visibility: internal)
    public static func == (left: RestParameters, right: RestParameters) -> Bool {
        left.values == right.values && left.failure?.message == right.failure?.message
    }

    @_documentation(visibility: internal)
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
