// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One part of a ``MultipartForm``.
public struct MultipartPart: Sendable {
    /// The field's name. Required in `form-data`.
    public var name: String?
    /// Sent as it is given, a path included. Servers take a part with a file name for a file.
    public var filename: String?
    /// The media type. `nil`: by the file name's extension when there is a file name, else none.
    public var contentType: String?
    /// Other fields of the part, such as `Content-ID`. In `form-data` the names above make the `Content-Disposition`: one
    /// that stands here is not sent.
    public var fields: HTTPFields = [:]
    public var body: RequestBody

    /// - `body`: bytes, a file, or a stream; a length that is known makes the length of the form known.
    public init(
        name: String?, body: RequestBody, filename: String? = nil, contentType: String? = nil, fields: HTTPFields = [:]
    ) {
        self.name = name
        self.body = body
        self.filename = filename
        self.contentType = contentType
        self.fields = fields
    }

    /// Text in UTF-8, its line breaks as they are. Browsers make them CRLF, in a value as in a name (HTML §4.10.21.8).
    public static func text(_ text: String, name: String) -> MultipartPart {
        MultipartPart(name: name, body: .data(Data(text.utf8)))
    }

    public static func data(
        _ data: Data, name: String, filename: String? = nil, contentType: String? = nil
    ) -> MultipartPart {
        MultipartPart(name: name, body: .data(data), filename: filename, contentType: contentType)
    }

    /// A file, streamed from disk when the form is sent.
    ///
    /// - `filename`: by default the last component of the URL.
    /// - Throws: `NetworkClientError` with code `uploadFailed` when there is no such file.
    public static func file(
        _ url: URL, name: String, filename: String? = nil, contentType: String? = nil
    ) throws -> MultipartPart {
        MultipartPart(
            name: name, body: try .file(url), filename: filename ?? url.lastPathComponent, contentType: contentType)
    }

    /// Any model, as JSON unless another encoder is given.
    ///
    /// - Throws: what the encoder throws.
    public static func model(
        _ model: some Encodable, name: String, filename: String? = nil, encoder: any RequestBodyEncoder = JSONEncoder()
    ) throws -> MultipartPart {
        let encoded = try (model as? any RequestBodyConvertible)?.encodedBody() ?? encoder.encodeBody(model)
        return MultipartPart(name: name, body: encoded.body, filename: filename, contentType: encoded.contentType)
    }
}

extension MultipartPart: Encodable {
    /// A part is for ``MultipartEncoder`` only.
    ///
    /// - Throws: always an `EncodingError`.
    @_documentation(visibility: internal)
    public func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalid(
            name ?? "", at: encoder.codingPath, "a part can be sent in a multipart form only")
    }
}

extension MultipartPart {
    /// The fields with their line ends, without the empty line.
    func head(isForm: Bool) throws -> String {
        var head = ""
        if !isForm, let disposition = fields[.contentDisposition] {
            try append("Content-Disposition", disposition, to: &head)
        } else if isForm || name != nil || filename != nil {
            guard name != nil || !isForm else { throw invalid("a part of a form needs a name") }
            head += "Content-Disposition: \(isForm ? "form-data" : "attachment")"
            if let name { head += "; name=\"\(try escaped(Self.normalized(name)))\"" }
            if let filename { head += "; filename=\"\(try escaped(filename))\"" }
            head += "\r\n"
        }
        for field in fields where field.name != .contentDisposition && field.name != .contentType {
            try append(field.name.rawName, field.value, to: &head)
        }
        if let sentType { try append("Content-Type", sentType, to: &head) }
        return head
    }

    /// The part's `Content-Type`; `nil` when it has none.
    var sentType: String? {
        contentType ?? fields[.contentType]
            ?? filename.map { FileMediaType.name(forFile: $0) }
    }

    private func append(_ name: String, _ value: String, to head: inout String) throws {
        guard !value.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
            throw invalid("CR, LF or NUL in the field \(name) of a part")
        }
        head += "\(name): \(value)\r\n"
    }

    private func invalid(_ reason: String) -> EncodingError {
        .invalid(name ?? "", reason)
    }

    /// The HTML standard (§4.10.21.8): what would end the quotes or the line is percent-encoded, and nothing else.
    private func escaped(_ text: String) throws -> String {
        if text.utf8.contains(0) { throw invalid("NUL in the name of a part or of its file") }
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "%22"
            case "\r": output += "%0D"
            case "\n": output += "%0A"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }

    /// Line breaks in names, but not in file names, become CRLF (same place).
    private static func normalized(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A }) else { return name }
        var output = ""
        var isAfterReturn = false
        for scalar in name.unicodeScalars {
            if scalar == "\r" || (scalar == "\n" && !isAfterReturn) {
                output += "\r\n"
            } else if scalar != "\n" {
                output.unicodeScalars.append(scalar)
            }
            isAfterReturn = scalar == "\r"
        }
        return output
    }
}

extension MultipartPart: DumpedAsDescription {
    /// `photo (12 bytes)`, or `photo (a stream)` when the length is not known.
    public var description: String { [name, "(\(body))"].compactMap { $0 }.joined(separator: " ") }
}
