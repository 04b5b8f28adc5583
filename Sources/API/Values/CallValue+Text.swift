// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CallValue {
    /// The one text of a scalar; `nil` when there is no value.
    ///
    /// - Parameter what: for the message: `path value 'id'`.
    /// - Throws: `encodingFailed` for an array or an object.
    func text(of what: String, _ encoder: QueryEncoder) throws -> String? {
        let texts = try texts(of: what, encoder)
        guard texts.count <= 1 else {
            throw NetworkClientError(.encodingFailed, "the \(what) has to be one value, not several")
        }
        return texts.first
    }

    /// The texts of a scalar or of an array of scalars.
    ///
    /// - Throws: `encodingFailed` for an object.
    func texts(of what: String, _ encoder: QueryEncoder) throws -> [String] {
        guard let model = try model(of: what) else { return [] }
        if let text = model as? String { return [text] }
        let name = "value"
        var encoder = encoder
        encoder.options.arrays = .repeated
        let items = try encoding(what) { try encoder.items(from: model, named: name) }
        return try items.compactMap { item in
            // All elements of an array have its name: another one is that of a property.
            guard item.name == name else {
                throw NetworkClientError(.encodingFailed, "the \(what) cannot be an object")
            }
            return item.value
        }
    }

    /// The texts of a field. A date is written as HTTP has them where the field is a date (RFC 9110 §5.6.7).
    ///
    /// - Throws: `encodingFailed` for an object.
    func fieldTexts(_ name: String, _ encoder: QueryEncoder) throws -> [String] {
        if case .model(let date as Date) = content, Self.dateFields.contains(name.lowercased()),
            let text = HTTPDate.text(of: date)
        {
            return [text]
        }
        return try texts(of: "field '\(name)'", encoder)
    }

    /// RFC 9110, RFC 9111, RFC 7089, RFC 8594.
    private static let dateFields: Set<String> = [
        "date", "if-modified-since", "if-range", "if-unmodified-since", "last-modified", "retry-after", "expires",
        "accept-datetime", "memento-datetime", "sunset",
    ]

    /// The items of a query: a dictionary's, and an object's, have names of their own.
    ///
    /// - Parameter isEncoded: names and values are percent-encoded already; a parameter's own name becomes so.
    func items(named name: String, isEncoded: Bool, _ encoder: QueryEncoder) throws -> [URLQueryItem] {
        let what = "query value '\(name)'"
        guard let value = try model(of: what) else { return [] }
        let model = try encoding(what) { try withNamedMembers(value) }
        var items: [URLQueryItem]
        if let text = model as? String {
            items = [URLQueryItem(name: name, value: text)]
        } else if let own = try? encoder.items(from: model) {
            return own
        } else {
            items = try encoding(what) { try encoder.items(from: model, named: name) }
        }
        if isEncoded {
            for index in items.indices {
                items[index].name = PercentEncoding.encodeKeepingEscapes(items[index].name[...], allowed: .query)
            }
        }
        return items
    }

    private func model(of what: String) throws -> (any Encodable)? {
        switch content {
        case .absent: nil
        case .model(let model): model
        case .failure(let error): throw CallBody.encodingFailed(error, what: what)
        }
    }

    private func encoding<Value>(_ what: String, _ work: () throws -> Value) throws -> Value {
        do { return try work() } catch { throw CallBody.encodingFailed(error, what: what) }
    }
}
