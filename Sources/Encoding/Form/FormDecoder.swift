// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Decodes `application/x-www-form-urlencoded`, by the URL standard's rules (§5.1).
///
/// Arrays are read in every notation that ``FormOptions/Arrays`` has, whatever the options say, and objects in arrays
/// also as `a[][b]=1`. A key of a model may have brackets itself (`case name = "filter[name]"`), unless there is a
/// scalar `filter` beside it.
///
/// A dictionary of scalars takes all names as they are, brackets included. Scalars are strings, numbers, dates and the
/// like, and types with such raw values, but not types that decode themselves. In a ``JSONValue`` every value is text.
///
/// Two values where a model has room for one are an error, and so is a value beside keys: `a=1&a[b]=2`.
public struct FormDecoder: ResponseBodyDecoder {
    package var options: FormOptions
    /// Handed to the models that are decoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init(_ options: FormOptions = FormOptions()) {
        self.options = options
    }

    @_documentation(visibility: internal)
    public var acceptedContentTypes: [String] { [EncodedBody.formType] }

    @_documentation(visibility: internal)
    public func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        try decode(type, from: data)
    }

    /// - Throws: a `DecodingError`.
    public func decode<Model: Decodable>(_ type: Model.Type = Model.self, from data: Data) throws -> Model {
        try decode(type, from: items(from: data))
    }

    /// - Throws: a `DecodingError`.
    public func decode<Model: Decodable>(_ type: Model.Type = Model.self, from text: String) throws -> Model {
        try decode(type, from: items(from: Data(text.utf8)))
    }

    /// - Throws: a `DecodingError`.
    public func decode<Model: Decodable>(_ type: Model.Type = Model.self, from items: [URLFormItem]) throws -> Model {
        let isFlat = Self.isFlat(type)
        let tree = FormTree()
        for item in items { try tree.insert(item, isFlat: isFlat, options: options) }
        let context = FormTreeDecoder.Context(options: options, userInfo: userInfo)
        return try FormTreeDecoder(tree, context: context, path: []).decode(type)
    }

    private static func isFlat(_ type: any Any.Type) -> Bool {
        if let optional = type as? any OptionalType.Type { return isFlat(optional.wrappedType) }
        return (type as? any DictionaryType.Type)?.hasScalarValues ?? false
    }

    /// The pairs as they stand there; bytes that are not UTF-8 become U+FFFD.
    public func items(from data: Data) -> [URLFormItem] {
        [UInt8](data).split(separator: UInt8(ascii: "&")).map { pair in
            let equals = pair.firstIndex(of: UInt8(ascii: "="))
            return URLFormItem(
                name: PercentEncoding.decodedText(pair[..<(equals ?? pair.endIndex)], plusIsSpace: true),
                value: equals.map { PercentEncoding.decodedText(pair[pair.index(after: $0)...], plusIsSpace: true) }
                    ?? "")
        }
    }
}
