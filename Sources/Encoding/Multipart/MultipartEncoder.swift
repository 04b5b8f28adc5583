// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Encodes models as `multipart/form-data`, a part for each property.
///
///     struct Upload: Encodable {
///         var title: String               // text
///         var photo: MultipartPart        // as it is
///         var scan: URL                   // a file URL: streamed, with its name and type
///         var meta: [String: String]      // anything with parts of its own: JSON
///     }
///
/// `nil` is left out. Arrays of `Data`, file `URL`s and ``MultipartPart``s become several parts of one name, and so does a
/// set of file `URL`s.
public struct MultipartEncoder: RequestBodyEncoder {
    /// Encodes the properties that are more than one piece of text.
    public var json: JSONEncoder
    /// How `Bool`, `Date` and keys look.
    public var options: FormOptions
    /// See ``MultipartForm/boundary``.
    public var boundary: String?
    /// Handed to the model whose properties become parts; they themselves get that of ``json``.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init(json: JSONEncoder = JSONEncoder(), options: FormOptions = FormOptions(), boundary: String? = nil) {
        self.json = json
        self.options = options
        self.boundary = boundary
    }

    public func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
        if let model = model as? any RequestBodyConvertible { return try model.encodedBody() }
        return try form(from: model).encodedBody()
    }

    /// - Throws: `EncodingError` for a model without keys at its top level, and for one that writes a value through a nested
    ///   container or a super-encoder: each value encodes itself whole.
    public func form(from model: some Encodable) throws -> MultipartForm {
        let encoder = MultipartModelEncoder(encoder: self)
        try encoder.encode(model)
        return MultipartForm(try encoder.finish(), boundary: boundary)
    }

    /// The part or parts that a single value becomes; none for `nil`, unless the options have a text for it.
    ///
    /// - `filename`: instead of the one that a file URL has.
    /// - `contentType`: instead of the one that goes by the value or the file name.
    /// - Throws: `EncodingError`; `NetworkClientError` with code `uploadFailed` for a file that is not there.
    public func parts(
        for value: some Encodable, name: String, filename: String? = nil, contentType: String? = nil
    ) throws -> [MultipartPart] {
        let parts = try parts(of: value, name)
        return parts.map { part in
            var part = part
            part.name = part.name ?? name
            part.filename = filename ?? part.filename
            part.contentType = contentType ?? part.contentType
            return part
        }
    }

    private func parts(of value: some Encodable, _ name: String) throws -> [MultipartPart] {
        switch value {
        case let part as MultipartPart: return [part]
        case let parts as [MultipartPart] where Self.isList(value, of: MultipartPart.self): return parts
        case let list as [Data] where Self.isList(value, of: Data.self): return list.map { .data($0, name: name) }
        case let list as [URL] where Self.isList(value, of: URL.self) && list.allSatisfy(\.isFileURL):
            return try list.map { try .file($0, name: name) }
        case let list as [URL?] where Self.isList(value, of: URL?.self) && list.allSatisfy({ $0?.isFileURL ?? true }):
            return try parts(of: list.compactMap { $0 }, name)
        case let set as Set<URL> where type(of: value) == Set<URL>.self: return try parts(of: Array(set), name)
        case let data as Data: return [.data(data, name: name)]
        case let url as URL where url.isFileURL: return [try .file(url, name: name)]
        case let body as RequestBody: return [MultipartPart(name: name, body: body)]
        case let body as EncodedBody:
            return [MultipartPart(name: name, body: body.body, contentType: body.contentType)]
        case let mixed as MixedValue: if case .model(let model) = mixed { return try parts(of: model, name) }
        case let optional as any MultipartOptional: return try optional.wrappedParts(name, self)
        default: break
        }
        if let text = try ScalarText.text(value, options) { return [.text(text, name: name)] }
        let encoded = try json.encodeBody(value)
        // A value that is a scalar in JSON, such as an `enum` of strings, becomes a part of text.
        if let data = encoded.body.data, let scalar = try Self.scalar(data) {
            return try scalar.map { [.text(try text(of: value) ?? $0, name: name)] } ?? []
        }
        return [MultipartPart(name: name, body: encoded.body, contentType: encoded.contentType)]
    }

    /// By the options, as it is read: a type may wrap a `Date`. `nil` for JSON, which keeps its digits.
    private func text(of value: some Encodable) throws -> String? {
        if value is JSONValue || value is MixedValue { return nil }
        let node = try ValueEncoder.Context(options: options, userInfo: json.userInfo).encode(value)
        return if case .scalar(let text) = node.kind { text } else { nil }
    }

    /// An empty array is one of every type to a cast.
    private static func isList<Value, Element>(_ value: Value, of element: Element.Type) -> Bool {
        Value.self == [Element].self
    }

    /// - Returns: `nil` for an object or an array, `.some(nil)` for null.
    private static func scalar(_ data: Data) throws -> String?? {
        guard let first = data.first, first != UInt8(ascii: "{"), first != UInt8(ascii: "[") else { return nil }
        switch try JSONValue(parsing: data) {
        case .null: return .some(nil)
        case .string(let text): return text
        case .number(let number): return number.literal
        case .bool(let value): return value ? "true" : "false"
        case .array, .object: return nil
        }
    }
}

/// `Optional`, to encode what is inside.
private protocol MultipartOptional {
    func wrappedParts(_ name: String, _ encoder: MultipartEncoder) throws -> [MultipartPart]
}

extension Optional: MultipartOptional where Wrapped: Encodable {
    fileprivate func wrappedParts(_ name: String, _ encoder: MultipartEncoder) throws -> [MultipartPart] {
        if let self { return try encoder.parts(for: self, name: name) }
        guard case .text(let text) = encoder.options.nils.value else { return [] }
        return [.text(text, name: name)]
    }
}
