// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Takes multipart bodies apart: part by part while they arrive, or whole as a model.
///
///     for try await part in try MultipartDecoder().parts(of: response) {
///         if part.name == "photo" { try await save(part.body) }     // a part that is not read is skipped
///     }
///
/// Base64 and quoted-printable parts are decoded. A body without its close delimiter is an error, as is anything larger than
/// ``Limits``.
public struct MultipartDecoder: ResponseBodyDecoder {
    public struct Limits: Hashable, Sendable {
        /// Default: 10,000.
        public var parts: Int
        /// For the fields of one part together. Default: 16 KiB.
        public var fieldBytes: Int

        public init(parts: Int = 10_000, fieldBytes: Int = 16 * 1024) {
            self.parts = parts
            self.fieldBytes = fieldBytes
        }
    }

    package var limits: Limits
    /// Decodes the properties whose part is JSON.
    package var json: JSONDecoder
    /// How the others are read.
    package var options: FormOptions
    /// Handed to the models that are decoded; a part of JSON gets that of `json`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init(json: JSONDecoder = JSONDecoder(), options: FormOptions = FormOptions(), limits: Limits = Limits()) {
        self.json = json
        self.options = options
        self.limits = limits
    }

    @_documentation(visibility: internal)
    public var acceptedContentTypes: [String] { ["multipart/form-data"] }

    /// The parts of a response, whatever subtype of `multipart` it is, while they arrive.
    ///
    /// - Throws: ``MultipartError`` when the response is not a multipart body or names no boundary.
    public func parts(of response: TransportResponse) throws -> MultipartBodyParts {
        MultipartBodyParts(of: response.body, parser: try parser(MediaType(of: response.head)))
    }

    /// The parts of any bytes that arrive.
    ///
    /// - `boundary`: what separates them, as `Content-Type` gives it.
    /// - Throws: ``MultipartError`` for a boundary that is empty, longer than 256 bytes, or has control characters.
    public func parts<Source: AsyncSequence & Sendable>(of source: Source, boundary: String) throws
        -> MultipartBodyParts
    where Source.Element == Data {
        // Made first, so that nothing is read from the sequence if the boundary is wrong.
        let parser = try parser(boundary)
        return MultipartBodyParts(of: ResponseBody(from: source), parser: parser)
    }

    /// The parts of a body that is in memory; each part's ``MultipartBodyPart/body`` has its bytes at hand.
    ///
    /// - Throws: ``MultipartError``, also for a boundary that cannot be one.
    public func parts(in data: Data, boundary: String) throws -> [MultipartBodyPart] {
        try Self.collect(data, try parser(boundary))
    }

    /// A model whose properties are the parts by name: `Data` as the bytes are, JSON parts by ``json``, anything else
    /// from text. Several parts of one name are the elements of an array.
    ///
    /// - Throws: ``MultipartError``, `DecodingError`, or of a part that is JSON ``JSONDecodingError``, whose path begins
    ///   with the part's name and whose place is the one in the part.
    public func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        let parts = try Self.collect(data, try parser(MediaType(of: response)))
        return try MultipartModelDecoder(parts, decoder: self).decode(type)
    }

    private static func collect(
        _ data: Data, _ parser: MultipartParser
    ) throws(MultipartError) -> [MultipartBodyPart] {
        var parser = parser
        let (events, failure) = parser.feed(data)
        if let failure { throw failure }
        try parser.finish()
        var parts: [MultipartBodyPart] = []
        var fields: HTTPFields = [:]
        var content = Data()
        for event in events {
            switch event {
            case .begin(let begun):
                fields = begun
                content = Data()
            case .data(let piece): content.append(piece)
            case .end: parts.append(MultipartBodyPart(fields: fields, body: ResponseBody(content)))
            }
        }
        return parts
    }

    private func parser(_ type: MediaType?) throws(MultipartError) -> MultipartParser {
        guard let type, type.type == "multipart" else { throw MultipartError("the response is not a multipart body") }
        guard let boundary = type["boundary"] else { throw MultipartError("the response names no boundary") }
        return try parser(boundary)
    }

    private func parser(_ boundary: String) throws(MultipartError) -> MultipartParser {
        guard !boundary.isEmpty, boundary.utf8.count <= 256, !boundary.utf8.contains(where: \.isControl)
        else { throw MultipartError("the boundary is empty, too long, or has control characters") }
        return MultipartParser(boundary: boundary, limits: limits)
    }
}
