// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Reads a single value from a text in the charset that its byte order mark or the response names; UTF-8 when neither does.
///
/// UTF-8, UTF-16, UTF-32, US-ASCII, ISO 8859-1 and Windows-1252 are known. Numbers and the like may have white space
/// around them.
public struct PlainTextDecoder: ResponseBodyDecoder {
    /// How `Bool`, `Date` and `Data` look; the rest does not matter here.
    package var options: FormOptions
    /// Handed to the models that are decoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init(_ options: FormOptions = FormOptions()) {
        self.options = options
    }

    @_documentation(visibility: internal)
    public var acceptedContentTypes: [String] { ["text/plain"] }

    /// - Throws: `DecodingError`, also when the bytes are not text in the charset, or the charset is not known.
    @_documentation(visibility: internal)
    public func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        let text = try TextCharset.text(of: data, label: MediaType(of: response)?.charset, at: [])
        if let text = text as? Model { return text }
        let context = FormTreeDecoder.Context(options: options, userInfo: userInfo)
        let isSpace: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
        let scalars = text.unicodeScalars
        let start = scalars.firstIndex { !isSpace($0) } ?? scalars.startIndex
        let end = scalars.lastIndex { !isSpace($0) }.map(scalars.index(after:)) ?? scalars.startIndex
        return try FormTreeDecoder(FormTree([String(scalars[start..<end])]), context: context, path: []).decode(type)
    }
}
