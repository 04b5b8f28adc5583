// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The body of a call, encoded: passes the client's encoder by.
struct CallBody: WholeBody {
    enum Content {
        case none
        case whole(any Encodable)
        case values([NamedValue])
    }

    private let encoded: EncodedBody

    func encodedBody() -> EncodedBody { encoded }
}

extension CallBody {
    init?(_ content: Content, format: BodyFormat, _ encoders: CallEncoders) throws {
        do {
            switch content {
            case .none: return nil
            case .whole(let model): encoded = try encoders.encoder(of: format).body(of: model)
            case .values(let values): encoded = try Self.encode(values, format, encoders.encoder(of: format))
            }
        } catch {
            throw NetworkClientError.encodingFailed("body", cause: error)
        }
    }

    private static func encode(
        _ values: [NamedValue], _ format: BodyFormat, _ encoder: any RequestBodyEncoder
    ) throws -> EncodedBody {
        switch encoder {
        case let encoder as FormEncoder: try .form(encoder.encode(encoder.items(of: values)))
        case let encoder as MultipartEncoder:
            try MultipartForm(encoder.parts(of: values), boundary: encoder.boundary).encodedBody()
        // An encoder of another kind gets the parts as properties, without their file names and types.
        default: try format == .form ? encoder.encodeForm(of: values) : encoder.encodeBody(of: values)
        }
    }
}
