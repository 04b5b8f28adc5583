// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Decodes what stands at a key path of a JSON body: the list inside of an envelope, say.
///
///     let users = JSONKeyPathDecoder("data.users")           // {"data": {"users": [ … ]}}
///
/// The value's bytes are found by one walk over the text and handed to `decoder` as they are: nothing is decoded
/// twice, and no number loses digits on the way. An optional model is `nil` when the last step finds no key, or when
/// `null` or an array without the element stands anywhere on the way.
public struct JSONKeyPathDecoder: ResponseBodyDecoder {
    package var keyPath: JSONKeyPath
    /// Decodes the value; gets its bytes as if they were the whole body.
    package var decoder: any ResponseBodyDecoder

    public init(_ keyPath: JSONKeyPath, decoder: any ResponseBodyDecoder = JSONDecoder()) {
        self.keyPath = keyPath
        self.decoder = decoder
    }

    @_documentation(visibility: internal)
    public var acceptedContentTypes: [String] { decoder.acceptedContentTypes }

    @_documentation(visibility: internal)
    public var decodesPartOfBody: Bool { true }

    /// - Throws: ``JSONKeyPathError`` when the path leads nowhere; else what ``decoder`` throws, a
    ///   ``JSONDecodingError`` with the path and the place in the whole body.
    public func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        let text = try JSONText.utf8(data, response: response)
        do {
            let slice = try keyPath.slice(of: text)
            return try decoder.decode(type, from: slice, response: JSONText.withUTF8Charset(response))
        } catch let error as JSONKeyPathError where error.meansAbsent {
            guard let absent = (type as? any OptionalType.Type)?.absent as? Model else { throw error }
            return absent
        } catch let error as JSONDecodingError {
            throw error.inside(keyPath, of: text)
        }
    }
}

extension JSONKeyPathDecoder: PartialBodyDecoder {
    package var wholeBodyDecoder: any ResponseBodyDecoder { decoder.forWholeBodies }
}

extension JSONKeyPath {
    /// The bytes of the value at this path, as they stand in the text.
    ///
    /// - Throws: ``JSONKeyPathError``, also when the text is not JSON somewhere else.
    public func slice(of text: Data) throws -> Data {
        let bytes = [UInt8](text)
        var lookup = JSONLookup(self, in: bytes)
        return Data(bytes[try lookup.find()])
    }
}

extension JSONDecoder {
    /// Decodes the value at `keyPath` of UTF-8 text.
    ///
    /// - Throws: ``JSONKeyPathError``, or ``JSONDecodingError`` with the path and the place in the whole text.
    public func decode<Model: Decodable>(
        _ type: Model.Type = Model.self, from data: Data, at keyPath: JSONKeyPath
    ) throws -> Model {
        do {
            return try explained(type, from: try keyPath.slice(of: data))
        } catch let error as JSONDecodingError {
            throw error.inside(keyPath, of: data)
        }
    }
}

extension JSONKeyPathError {
    /// Whether an optional model may take this for `nil`.
    var meansAbsent: Bool {
        switch reason {
        case .missingKey: failedStep == keyPath.steps.count - 1
        case .notAContainer(let kind): kind == JSONScanner.Kind.null.inWords
        case .indexOutOfRange: true
        case .notJSON: false
        }
    }
}
