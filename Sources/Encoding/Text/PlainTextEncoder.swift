// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// Sends a single value as `text/plain` in UTF-8: text, numbers, `Bool`, dates, and what encodes itself as one of them.
public struct PlainTextEncoder: RequestBodyEncoder {
    /// How `Bool`, `Date` and `Data` look; the rest does not matter here.
    package var options: FormOptions
    /// Handed to the models that are encoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init(_ options: FormOptions = FormOptions()) {
        self.options = options
    }

    /// - Throws: `EncodingError` for anything with parts.
    @_documentation(visibility: internal)
    public func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
        try string(from: model).encodedBody()
    }

    /// - Throws: `EncodingError` for anything with parts.
    public func string(from model: some Encodable) throws -> String {
        let node = try ValueEncoder.Context(options: options, userInfo: userInfo).encode(model)
        guard case .scalar(let text) = node.kind else {
            throw EncodingError.invalid(model, "\(type(of: model)) is not a single piece of text")
        }
        return text
    }
}
