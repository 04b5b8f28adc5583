// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body of several parts: `multipart/form-data` (RFC 7578), or another subtype of `multipart` (RFC 2046 §5.1).
///
///     var form = MultipartForm()
///     form.append(.text("holiday", name: "album"))
///     form.append(try .file(url, name: "photo"))
///     let request = NetworkRequest<MultipartForm, Album>(path: "/photos", method: .post, body: form)
///
/// Files and streams are read while they are sent, in pieces of 64 KiB. The body's length is known when every part's is, and
/// the request can be sent again when every part can. A form without parts is its close delimiter alone.
public struct MultipartForm: Sendable {
    public var parts: [MultipartPart]
    /// Default: `form-data`. `mixed`, `related` …
    public var subtype: String
    /// What separates the parts. `nil`, the default: 190 random bits, new each time the form is encoded.
    ///
    /// A boundary of your own has 1 to 70 of the characters that RFC 2046 §5.1.1 allows. Encoding fails when it occurs in a
    /// part; for a file or a stream that is found out while it is sent.
    public var boundary: String?
    /// More parameters of the `Content-Type`: `start` of `multipart/related`, say. Its `type` (RFC 2387 §3.1) is that of
    /// the first part unless it is given here.
    public var parameters: [String: String] = [:]

    public init(_ parts: [MultipartPart] = [], subtype: String = "form-data", boundary: String? = nil) {
        self.parts = parts
        self.subtype = subtype
        self.boundary = boundary
    }

    public mutating func append(_ part: MultipartPart) { parts.append(part) }
}

extension MultipartForm: WholeBody {
    /// - Throws: `EncodingError` for a subtype, parameter, boundary or field that cannot be sent.
    public func encodedBody() throws -> EncodedBody {
        try checkType()
        let boundary = try MultipartBoundary(boundary)
        let subtype = subtype.asciiLowercased
        var segments: [MultipartBodySource.Segment] = []
        for (offset, part) in parts.enumerated() {
            try boundary.check(part.body.data)
            let head = try part.head(isForm: subtype == "form-data")
            segments.append(.bytes((offset > 0 ? "\r\n" : "") + "--\(boundary.text)\r\n" + head + "\r\n"))
            segments.append(.body(part.body))
        }
        segments.append(.bytes("\(parts.isEmpty ? "" : "\r\n")--\(boundary.text)--\r\n"))
        return EncodedBody(
            try MultipartBodySource.body(of: segments, forbidden: self.boundary == nil ? nil : boundary.text),
            contentType: contentType(subtype, boundary))
    }

    private func checkType() throws {
        for token in [subtype] + parameters.keys where token.isEmpty || !token.utf8.allSatisfy(\.isTokenCharacter) {
            throw EncodingError.invalid(token, "the name of a subtype or a parameter is a token")
        }
        for (name, value) in parameters where value.utf8.contains(where: \.isControl) {
            throw EncodingError.invalid(value, "a control character in the parameter \"\(name)\"")
        }
    }

    private func contentType(_ subtype: String, _ boundary: MultipartBoundary) -> String {
        var type = MediaType("multipart", subtype)
        type["boundary"] = boundary.text
        if subtype == "related", let first = parts.first?.sentType.flatMap({ MediaType($0) }) {
            type["type"] = first.essence
        }
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) where name.asciiLowercased != "boundary" {
            type[name] = value
        }
        return type.description
    }
}
