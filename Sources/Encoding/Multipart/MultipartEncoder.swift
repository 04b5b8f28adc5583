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
/// `nil` is left out. Lists of scalars, of `Data`, of file `URL`s and of ``MultipartPart``s become a part for each
/// element, named as ``FormOptions/arrays`` says; with a separator, scalars are one part. A list with `nil`, with objects
/// or with lists in it is one part of JSON, unless the options have a text for `nil`. An empty list has no part.
public struct MultipartEncoder: RequestBodyEncoder {
    /// Encodes the properties that are more than one piece of text.
    package var json: JSONEncoder
    /// How `Bool`, `Date` and keys look.
    package var options: FormOptions
    /// See ``MultipartForm/boundary``.
    package var boundary: String?
    /// Handed to the model whose properties become parts; they themselves get that of `json`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init(json: JSONEncoder = JSONEncoder(), options: FormOptions = FormOptions(), boundary: String? = nil) {
        self.json = json
        self.options = options
        self.boundary = boundary
    }

    @_documentation(visibility: internal)
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

    /// A part, or several, for each of the values, under the names that they have or that the options make of these.
    package func parts(of values: [NamedValue]) throws -> [MultipartPart] {
        try values.flatMap { value in
            let name = value.isExplicit ? value.name : options.keys.name(of: value.name)
            return try parts(
                for: value.value, name: name, filename: value.filename, contentType: value.contentType)
        }
    }

    private func parts(of value: some Encodable, _ name: String) throws -> [MultipartPart] {
        switch value {
        case let part as MultipartPart: return [part]
        case let list as any EncodableList where Self.isContent(type(of: list).elementType):
            let elements = list.all.filter { !isNil($0) }
            // A list of other URLs is one of texts.
            if elements.allSatisfy({ ($0 as? URL)?.isFileURL ?? true }) {
                return try elements.enumerated().flatMap { try parts(of: $1, elementName(name, $0)) }
            }
        case let data as Data: return [.data(data, name: name)]
        case let url as URL where url.isFileURL: return [try .file(url, name: name)]
        case let body as RequestBody: return [MultipartPart(name: name, body: body)]
        case let body as EncodedBody:
            return [MultipartPart(name: name, body: body.body, contentType: body.contentType)]
        case let mixed as MixedValue: if case .model(let model) = mixed { return try parts(of: model, name) }
        case let optional as any MultipartOptional: return try optional.wrappedParts(name, self)
        default: break
        }
        // What is nested deeper than a list's elements does not change how many parts there are.
        let context = ValueEncoder.Context(options: options, userInfo: json.userInfo, depth: 2)
        let node = try context.encode(value, named: name)
        switch node.kind {
        case .scalar(let text): return [.text(text, name: name)]
        case .null: return nilText.map { [.text($0, name: name)] } ?? []
        case .empty where !node.isKeyed: return []
        case .array:
            if let texts = texts(of: node.elements) { return try parts(of: texts, name) }
        case .object, .empty: break
        }
        return [try jsonPart(of: value, name)]
    }

    func jsonPart(of value: some Encodable, _ name: String) throws -> MultipartPart {
        let data = try json.json(of: value, at: [StringKey(name)])
        return MultipartPart(name: name, body: .data(data), contentType: "application/json")
    }

    fileprivate var nilText: String? { if case .text(let text) = options.nils.value { text } else { nil } }

    /// `nil` unless each element has a text.
    private func texts(of elements: [ValueNode]) -> [String]? {
        let texts = elements.compactMap { element in
            switch element.kind {
            case .scalar(let text): text
            case .null: nilText
            case .array, .object, .empty: nil
            }
        }
        return texts.count == elements.count ? texts : nil
    }

    private func parts(of texts: [String], _ name: String) throws -> [MultipartPart] {
        guard let separator = options.arrays.separator else {
            return texts.enumerated().map { .text($1, name: elementName(name, $0)) }
        }
        guard !texts.contains(where: { $0.unicodeScalars.contains(separator) }) else {
            throw EncodingError.invalid(
                name, at: [StringKey(name)],
                "an element of a list that is separated by \"\(separator)\" has one in it")
        }
        return [.text(texts.joined(separator: String(separator)), name: name)]
    }

    private func elementName(_ name: String, _ index: Int) -> String { options.arrays.name(ofElement: index, in: name) }

    /// Whether values of the type are the content of a part as they are, and not text.
    private static func isContent(_ type: any Any.Type) -> Bool {
        if let optional = type as? any OptionalType.Type { return isContent(optional.wrappedType) }
        return type == Data.self || type == URL.self || type == MultipartPart.self
    }
}

/// `Optional`, to encode what is inside.
private protocol MultipartOptional {
    func wrappedParts(_ name: String, _ encoder: MultipartEncoder) throws -> [MultipartPart]
}

extension Optional: MultipartOptional where Wrapped: Encodable {
    fileprivate func wrappedParts(_ name: String, _ encoder: MultipartEncoder) throws -> [MultipartPart] {
        if let self { return try encoder.parts(for: self, name: name) }
        return encoder.nilText.map { [.text($0, name: name)] } ?? []
    }
}
