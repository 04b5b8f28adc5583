// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The body of a call, encoded: passes the client's encoder by.
struct CallBody: Encodable, RequestBodyConvertible {
    enum Content {
        case none
        case whole(any Encodable)
        case entries([CallEntry])
    }

    private let encoded: EncodedBody

    func encodedBody() -> EncodedBody { encoded }

    /// Never used: the body is there already.
    func encode(to encoder: any Encoder) throws { throw Self.encodingFailed(nil) }

    static func encodingFailed(_ cause: (any Error)?, what: String = "body") -> NetworkClientError {
        cause as? NetworkClientError
            ?? NetworkClientError(.encodingFailed, "the \(what) could not be encoded", cause: cause)
    }
}

extension CallBody {
    /// - Parameters:
    ///   - encoder: the endpoint's own for the format.
    ///   - defaultEncoder: for JSON when there is none, and for parts of JSON.
    init?(
        _ content: Content, format: BodyFormat, encoder: (any RequestBodyEncoder)?,
        defaultEncoder: any RequestBodyEncoder
    ) throws {
        do {
            switch content {
            case .none: return nil
            case .whole(let model as any RequestBodyConvertible): encoded = try model.encodedBody()
            case .whole(let model):
                encoded = try Self.encoder(format, encoder, defaultEncoder).encodeBody(model)
            case .entries(let entries):
                encoded = try Self.encode(entries, format, Self.encoder(format, encoder, defaultEncoder))
            }
        } catch {
            throw Self.encodingFailed(error)
        }
    }

    private static func encoder(
        _ format: BodyFormat, _ encoder: (any RequestBodyEncoder)?, _ defaultEncoder: any RequestBodyEncoder
    ) -> any RequestBodyEncoder {
        switch format {
        case .json: encoder ?? defaultEncoder
        case .form: encoder ?? FormEncoder()
        case .multipart: encoder ?? MultipartEncoder(json: defaultEncoder as? JSONEncoder ?? JSONEncoder())
        }
    }

    private static func encode(
        _ entries: [CallEntry], _ format: BodyFormat, _ encoder: any RequestBodyEncoder
    ) throws -> EncodedBody {
        switch format {
        case .json: return try encoder.encodeBody(FieldsModel(entries: entries))
        case .form:
            guard let encoder = encoder as? FormEncoder else {
                return try encoder.encodeBody(FlatFieldsModel(entries: entries))
            }
            return try .form(encoder.encode(encoder.items(of: entries)))
        case .multipart:
            // An encoder of another kind gets the parts as properties, without their file names and types.
            guard let encoder = encoder as? MultipartEncoder else {
                return try encoder.encodeBody(FieldsModel(entries: entries))
            }
            let parts = try entries.flatMap {
                try encoder.parts(for: $0.model, name: $0.name, filename: $0.filename, contentType: $0.mimeType)
            }
            return try MultipartForm(parts, boundary: encoder.boundary).encodedBody()
        }
    }
}
