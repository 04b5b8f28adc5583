// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Encodes models as `application/x-www-form-urlencoded`, by the URL standard's rules for bodies (§5.2).
///
///     struct Login: Encodable { var user: String; var scopes: [String] }
///     try FormEncoder().string(from: Login(user: "a b", scopes: ["x", "y"]))     // user=a+b&scopes=x&scopes=y
///
/// A ``FormDecoder`` with the same options reads back the same value, with these limits. Nothing is written for an
/// empty array, for an empty dictionary, or for a model of nothing else, so that they are read back as `nil` where the
/// model has an optional. The keys of a dictionary whose value is `nil` are lost. Dates as numbers are read back to the
/// microsecond.
///
/// Four things are written that the decoder refuses, or takes for something else:
///
/// - a case of an `enum` with associated values, in a style of keys that makes one name of two: `open_url` of `openURL`
///   and `openUrl`;
/// - a key in brackets beside what is written with them: `case sort` and `case sortDir = "sort[dir]"`, which a dictionary
///   or an array `sort` takes for its own;
/// - a ``JSONValue`` in a model that is `null` or empty, so that nothing is written for it;
/// - a dictionary with brackets in its keys, when another type encodes itself as that dictionary, or when its values
///   are of a `LosslessStringConvertible` type that encodes itself as one string.
///
/// What a form cannot hold is an `EncodingError`: a top level without keys, two values under one name, `nil` or something
/// empty inside of an array, an empty array inside of a dictionary.
public struct FormEncoder: RequestBodyEncoder {
    package var options: FormOptions
    /// Handed to the models that are encoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init(_ options: FormOptions = FormOptions()) {
        self.options = options
    }

    @_documentation(visibility: internal)
    public func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
        .form(try encode(model))
    }

    /// - Throws: an `EncodingError` for what a form cannot hold.
    public func encode(_ model: some Encodable) throws -> Data {
        Data(serialize(try items(from: model)))
    }

    /// - Throws: an `EncodingError` for what a form cannot hold.
    public func string(from model: some Encodable) throws -> String {
        String(decoding: serialize(try items(from: model)), as: UTF8.self)
    }

    /// The pairs before they are percent-encoded.
    ///
    /// - `name`: encodes the value under this name, as if it were the only property of a model. The value may be a
    ///   scalar then. ``FormOptions/keys`` does not change the name.
    /// - Throws: an `EncodingError` for what a form cannot hold.
    public func items(from model: some Encodable, named name: String? = nil) throws -> [URLFormItem] {
        guard let name else {
            return try EntryWriter.entries(of: model, context, isReadBack: true).map(\.formItem)
        }
        return try items(of: [NamedValue(name, model, isExplicit: true)])
    }

    package func items(of values: [NamedValue]) throws -> [URLFormItem] {
        try EntryWriter.entries(of: values, context, isReadBack: true).map(\.formItem)
    }

    private var context: ValueEncoder.Context { .init(options: options, userInfo: userInfo) }

    /// Encodes pairs of your own; those without a value are left out.
    public func encode(_ items: [URLFormItem]) -> Data { Data(serialize(items)) }

    private func serialize(_ items: [URLFormItem]) -> [UInt8] {
        let bytes = items.urlEncoded
        guard options.spaces == .percent else { return bytes }
        // A plus in the text itself is `%2B`, so that each `+` is a space.
        return bytes.flatMap { $0 == UInt8(ascii: "+") ? Array("%20".utf8) : [$0] }
    }
}

/// Another name of ``FormEncoder``, which other libraries use.
public typealias URLEncodedFormEncoder = FormEncoder

extension ValueEntry {
    fileprivate var formItem: URLFormItem { URLFormItem(name: name, value: value) }
}
