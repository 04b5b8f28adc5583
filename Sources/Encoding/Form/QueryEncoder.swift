// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Encodes models as the query of a URL (RFC 3986 §3.4), with the same options as forms.
///
///     try QueryEncoder().string(from: ["q": "a+b c"])        // q=a%2Bb%20c
///
/// Everything but letters, digits and `-._~` is written as `%XX`, so that servers see the same text whether they read
/// queries as forms or not.
///
/// A query need not be read back as the same value. So some values that a form refuses are left out: an empty array in
/// a dictionary, a model of nothing but empty arrays in an array or a dictionary, and with ``FormOptions/Nils/omit`` a
/// `nil` in an array that has no indices.
public struct QueryEncoder: Sendable {
    package var options: FormOptions
    /// Handed to the models that are encoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init(_ options: FormOptions = FormOptions()) {
        self.options = options
    }

    private var context: ValueEncoder.Context { .init(options: options, userInfo: userInfo) }

    /// The items, not yet percent-encoded: what `NetworkRequest` takes.
    ///
    /// - `name`: encodes the value under this name, as if it were the only property of a model. The value may be a
    ///   scalar then. ``FormOptions/keys`` does not change the name.
    /// - Throws: an `EncodingError`; see ``FormEncoder``.
    public func items(from model: some Encodable, named name: String? = nil) throws -> [URLQueryItem] {
        try entries(from: model, named: name).map(\.queryItem)
    }

    /// The query without its `?`, percent-encoded. The commas of ``FormOptions/Arrays/commas`` stand as they are.
    ///
    /// - `name`: as for ``items(from:named:)``.
    /// - Throws: an `EncodingError`; see ``FormEncoder``.
    public func string(from model: some Encodable, named name: String? = nil) throws -> String {
        try entries(from: model, named: name).queryText()
    }

    private func entries(from model: some Encodable, named name: String?) throws -> [ValueEntry] {
        guard let name else { return try EntryWriter.entries(of: model, context, isReadBack: false) }
        return try entries(of: [NamedValue(name, model, isExplicit: true)])
    }

    package func entries(of values: [NamedValue]) throws -> [ValueEntry] {
        try EntryWriter.entries(of: values, context, isReadBack: false)
    }

    /// Encodes items of your own; those without a value are left out.
    public static func string(of items: [URLQueryItem]) -> String {
        var output: [UInt8] = []
        for item in items {
            guard let value = item.value else { continue }
            if !output.isEmpty { output.append(UInt8(ascii: "&")) }
            PercentEncoding.append(item.name, allowed: .unreserved, to: &output)
            output.append(UInt8(ascii: "="))
            PercentEncoding.append(value, allowed: .unreserved, to: &output)
        }
        return String(decoding: output, as: UTF8.self)
    }
}
