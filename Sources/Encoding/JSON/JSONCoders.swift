// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JSONEncoder: RequestBodyEncoder {
    /// `application/json`, with the encoder's own strategies. A ``JSONValue`` is written with every digit it has, its keys
    /// sorted; a `Duration` as seconds, a `TimeZone` or `Locale` as its identifier, and a dictionary whose keys have
    /// texts as an object, also in optionals, arrays and dictionaries. Inside of a model `Codable` decides.
    ///
    /// - Throws: `EncodingError`, also for a file URL, wherever it is.
    @_documentation(visibility: internal)
    public func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
        EncodedBody(.data(try json(of: model)), contentType: "application/json")
    }

    /// - Throws: `EncodingError`, also for a `Decimal` that is no number: swift-foundation writes it as `NaN`.
    func text(of model: some Encodable) throws -> Data {
        let text = try encode(model)
        if Self.mentions("\"file:", in: text) { try refuseFiles(in: model) }
        guard Self.mentions("NaN", in: text) else { return text }
        var scanner = JSONScanner([UInt8](text))
        do {
            try scanner.skipValue()
            return text
        } catch {
            throw EncodingError.invalid(model, at: JSONScanner.pathToFailure(in: text), "JSON has no number for NaN")
        }
    }

    /// That the text is in the JSON does not say that a URL has written it.
    private func refuseFiles(in model: some Encodable) throws {
        let context = ValueEncoder.Context(options: FormOptions(), userInfo: userInfo)
        do {
            _ = try context.encode(model)
        } catch EncodingError.invalidValue(let value, let failure)
            where failure.debugDescription == ScalarText.fileHasNoText
        {
            throw EncodingError.invalidValue(value, failure)
        } catch {}
    }

    private static func mentions(_ word: StaticString, in text: Data) -> Bool {
        let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        return text.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let start = rest.firstIndex(of: word[0]) {
                if rest[start...].starts(with: word) { return true }
                rest = rest[(start + 1)...]
            }
            return false
        }
    }
}

extension JSONDecoder: ResponseBodyDecoder {
    @_documentation(visibility: internal)
    public var acceptedContentTypes: [String] { ["application/json"] }

    /// Decodes the body, which may also be UTF-16 or UTF-32 when its first bytes say so. The response's charset counts
    /// only for what is neither, and not UTF-8.
    ///
    /// - Throws: ``JSONDecodingError``, which shows the place in the text.
    @_documentation(visibility: internal)
    public func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        try explained(type, from: try JSONText.utf8(data, response: response))
    }

    /// Decodes UTF-8 text, and shows the place when that fails.
    func explained<Model: Decodable>(_ type: Model.Type, from data: Data) throws -> Model {
        try explained(type, from: data) { JSONDecodingError($0, at: $1, in: data, isJSON: readsJSONAlone) }
    }

    /// Only the decoder itself reads what it allows beyond JSON.
    var readsJSONAlone: Bool { !allowsJSON5 && !assumesTopLevelDictionary }

    func explained<Model: Decodable>(
        _ type: Model.Type, from data: Data,
        explain: (_ error: DecodingError, _ place: TracingDecoder.Place?) -> JSONDecodingError
    ) throws -> Model {
        do {
            if readsJSONAlone, JSONValue.isRead(as: type) { return try JSONValue.parsed(as: type, data) }
            return try decodeText(type, from: data)
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            throw explain(.dataCorrupted(context), TracingDecoder.place(of: type, in: data, self))
        } catch DecodingError.typeMismatch(let expected, let context) where expected == [Any].self {
            var failure = DecodingError.typeMismatch(expected, context)
            do {
                if let value = try TracingDecoder.value(of: type, in: data, self) { return value }
            } catch let error as DecodingError {
                failure = error
            }
            throw explain(failure, TracingDecoder.dictionary(of: type, at: failure.path, in: data, self))
        } catch let error as DecodingError {
            throw explain(error, nil)
        }
    }
}

extension DecodingError {
    fileprivate var path: [any CodingKey] {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath
        @unknown default: []
        }
    }
}
