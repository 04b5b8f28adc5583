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
    /// sorted.
    public func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
        let json = try model as? JSONValue ?? (model as? MixedValue)?.encoded(by: self)
        let data = try json?.serialized() ?? text(of: model)
        return EncodedBody(.data(data), contentType: "application/json")
    }

    /// - Throws: `EncodingError`, also for a `Decimal` that is no number: swift-foundation writes it as `NaN`.
    package func text(of model: some Encodable) throws -> Data {
        let text = try encode(model)
        guard Self.mentionsNaN(text) else { return text }
        var scanner = JSONScanner([UInt8](text))
        do {
            try scanner.skipValue()
            return text
        } catch {
            throw EncodingError.invalid(model, at: JSONScanner.pathToFailure(in: text), "JSON has no number for NaN")
        }
    }

    private static func mentionsNaN(_ text: Data) -> Bool {
        text.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let start = rest.firstIndex(of: UInt8(ascii: "N")) {
                if rest[start...].starts(with: "NaN".utf8) { return true }
                rest = rest[(start + 1)...]
            }
            return false
        }
    }
}

extension JSONDecoder: ResponseBodyDecoder {
    public var acceptedContentTypes: [String] { ["application/json"] }

    /// Decodes the body, which may also be UTF-16 or UTF-32 when its first bytes say so. The response's charset counts
    /// only for what is neither, and not UTF-8.
    ///
    /// - Throws: ``JSONDecodingError``, which shows the place in the text.
    public func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        try explained(type, from: try JSONText.utf8(data, response: response))
    }

    /// Decodes UTF-8 text, and shows the place when that fails.
    func explained<Model: Decodable>(_ type: Model.Type, from data: Data) throws -> Model {
        try explained(type, from: data) { JSONDecodingError($0, at: $1, in: data) }
    }

    func explained<Model: Decodable>(
        _ type: Model.Type, from data: Data,
        explain: (_ error: DecodingError, _ place: TracingDecoder.Place?) -> JSONDecodingError
    ) throws -> Model {
        do {
            // Only the decoder itself reads what it allows beyond JSON.
            let isPlain = !allowsJSON5 && !assumesTopLevelDictionary
            if isPlain, JSONValue.isRead(as: type) { return try JSONValue.parsed(as: type, data) }
            return try decodeText(type, from: data)
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            throw explain(.dataCorrupted(context), TracingDecoder.place(of: type, in: data, self))
        } catch DecodingError.typeMismatch(let found, let context) where found == [Any].self {
            let place = TracingDecoder.dictionary(of: type, at: context.codingPath, in: data, self)
            throw explain(.typeMismatch(found, context), place)
        } catch let error as DecodingError {
            throw explain(error, nil)
        }
    }
}
