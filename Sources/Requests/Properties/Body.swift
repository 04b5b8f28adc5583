// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import StrataEncoding

public import Foundation

/// The body of a request.
///
///     Body { User(name: "firstname") }
///
/// Models are encoded as JSON at once; an error of the encoding is thrown when the request is sent. `Data` is sent as
/// it is. Unless the request has a `Content-Type` field, the body brings its media type: that of JSON, of a form or of
/// a multipart form, and none for `Data`.
public struct Body: RequestProperty {
    enum Content: Sendable {
        case none
        case data(Data, contentType: String?)
        case body(RequestBody, contentType: String?, identity: Identity)
        case failed(any Error, Identity)
    }

    /// Tells streams and failures apart, which have nothing else to compare.
    final class Identity: Sendable {}

    let content: Content

    private init(content: Content) { self.content = content }

    /// Bytes as they are; `nil` for no body.
    public init(value: Data?) {
        content = value.map { .data($0, contentType: nil) } ?? .none
    }

    /// A model as JSON with sorted keys, so that equal models make equal bodies, or as what the encoder makes of it:
    /// `Body(user, encoder: FormEncoder())`; `nil` for no body.
    ///
    /// Text is a model too, and is sent in quotes; see ``text(_:)``.
    ///
    /// Forms, multipart forms, `Data` and `RequestBody` are bodies already and are sent as they are, and of a file URL the
    /// file is. `nil` is no body; an explicit null is `JSONValue.null`.
    public init<Model: Encodable>(_ model: Model?, encoder: (any RequestBodyEncoder)? = nil) {
        guard let model, !isNil(model) else {
            self.init(content: .none)
            return
        }
        self.init(encoding: {
            let encoder = encoder ?? Self.jsonEncoder()
            return try model is String ? encoder.encodeBody(model) : encoder.body(of: model)
        })
    }

    private static func jsonEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    /// Mixed values as JSON, keys sorted unless the options say otherwise.
    public init(_ members: [String: Any], options: JSONSerialization.WritingOptions = []) {
        self.init(encoding: {
            let data: Data
            if options.isEmpty {
                data = try JSONValue(members).serialized()
            } else {
                // JSONSerialization takes an invalid object for a mistake of the program.
                guard JSONSerialization.isValidJSONObject(members) else {
                    throw NetworkClientError(.encodingFailed, "the dictionary has a value that JSON cannot hold")
                }
                data = try JSONSerialization.data(withJSONObject: members, options: options)
            }
            return EncodedBody(.data(data), contentType: "application/json")
        })
    }

    /// A body of whatever kind: a file, a stream.
    ///
    /// - `contentType`: its media type; `nil` sends none.
    public init(_ body: RequestBody, contentType: String? = nil) {
        self.init(encoding: { EncodedBody(body, contentType: contentType) })
    }

    /// The listed bodies, joined in order. Two forms become one form. The bytes of others are put together; the result
    /// has a media type only if all of them have the same one and it is text.
    public init(@Builder _ body: () -> Body) {
        self = body()
    }

    /// Text as it is, `text/plain` in UTF-8.
    public static func text(_ text: String) -> Body {
        Body(encoding: { text.encodedBody() })
    }

    private init(encoding encoded: () throws -> EncodedBody) {
        do {
            let encoded = try encoded()
            if encoded.body.isEmpty {
                content = .none
            } else if let data = encoded.body.data {
                content = .data(data, contentType: encoded.contentType)
            } else {
                content = .body(encoded.body, contentType: encoded.contentType, identity: Identity())
            }
        } catch {
            content = .failed(NetworkClientError.encodingFailed("body", cause: error), Identity())
        }
    }

    /// The bytes; `nil` when there is no body, for a stream or a file, and for a body that could not be encoded.
    public var value: Data? {
        if case .data(let data, _) = content { data } else { nil }
    }

    /// The media type that the body brings along.
    public var contentType: String? {
        switch content {
        case .data(_, let contentType), .body(_, let contentType, _): contentType
        case .none, .failed: nil
        }
    }

    /// The error of the encoding, if it failed.
    public var error: (any Error)? {
        if case .failed(let error, _) = content { error } else { nil }
    }

    @_documentation(visibility: internal)
    public static var slot: WritableKeyPath<Request.Properties, Body> { \.body }

    var isEmpty: Bool {
        if case .none = content { true } else { false }
    }

    /// - Throws: the error of its encoding.
    func requestBody() throws -> RequestBody {
        switch content {
        case .none: .empty
        case .data(let data, _): .data(data)
        case .body(let body, _, _): body
        case .failed(let error, _): throw error
        }
    }
}

extension Body {
    public func append(to property: Body) -> Body {
        switch (content, property.content) {
        case (_, .none), (.failed, _): return self
        case (.none, _), (_, .failed): return property
        case (.data(let first, let type), .data(let second, let otherType)):
            let isForm = type == EncodedBody.formType && otherType == EncodedBody.formType
            let separator = isForm && !first.isEmpty && !second.isEmpty ? Data("&".utf8) : Data()
            let isSame = type == otherType && (isForm || type?.hasPrefix("text/") == true)
            return Body(content: .data(first + separator + second, contentType: isSame ? type : nil))
        case (.body, _), (_, .body):
            let error = NetworkClientError(.encodingFailed, "a streamed body cannot be joined with another one")
            return Body(content: .failed(error, Identity()))
        }
    }
}

extension Body: Hashable {
    private var identity: ObjectIdentifier? {
        switch content {
        case .body(_, _, let identity), .failed(_, let identity): ObjectIdentifier(identity)
        case .none, .data: nil
        }
    }

    /// Equal when the bytes and the media type are; a stream equals itself alone.
    @_documentation(visibility: internal)
    public static func == (left: Body, right: Body) -> Bool {
        left.value == right.value && left.contentType == right.contentType && left.identity == right.identity
    }

    @_documentation(visibility: internal)
    public func hash(into hasher: inout Hasher) {
        hasher.combine(value)
        hasher.combine(contentType)
        hasher.combine(identity)
    }
}

extension Body {
    @_documentation(visibility: internal)
    @resultBuilder public enum Builder: ListBuilder {
        public static func buildExpression(_ body: Body?) -> Body { body ?? Body(value: nil) }
        public static func buildExpression(_ data: Data) -> Body { Body(value: data) }
        public static func buildExpression(_ data: Data?) -> Body { Body(value: data) }
        public static func buildExpression<Model: Encodable>(_ model: Model?) -> Body { Body(model) }
        public static func buildExpression(_ members: [String: Any]?) -> Body {
            members.map { Body($0) } ?? Body(value: nil)
        }

        public static func buildBlock() -> Body { Body(value: nil) }
    }
}
