// SPDX-License-Identifier: Apache-2.0

/// A body that is handed over as a model, and can be a part of a multipart form but of no other model.
@_documentation(visibility: internal)
public protocol WholeBody: Encodable, RequestBodyConvertible {}

extension WholeBody {
    /// - Throws: always an `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalid(self, at: encoder.codingPath, "\(Self.self) cannot be part of a model")
    }
}
