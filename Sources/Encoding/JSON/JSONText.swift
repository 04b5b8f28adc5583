// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// JSON in other encodings than UTF-8: RFC 8259 §8.1 forbids them on the network, old servers send them.
enum JSONText {
    static func utf8(_ data: Data, response: HTTPResponse) throws -> Data {
        try utf8(data, at: [], label: charset(of: response))
    }

    /// - Parameter label: asked for only where the first bytes do not tell.
    static func utf8(_ data: Data, at path: [any CodingKey], label: @autoclosure () -> String?) throws -> Data {
        let sniffed = TextCharset(ofJSON: data)
        guard let charset = sniffed ?? label().flatMap(TextCharset.init(label:)), charset != .utf8 else { return data }
        // What is UTF-8 is that, whatever the label says: it has no effect on JSON (RFC 8259 §11).
        if sniffed == nil, String(validating: data, as: UTF8.self) != nil { return data }
        guard let text = charset.decode(data) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: path, debugDescription: "the body is not text in \(charset)"))
        }
        return Data(text.utf8)
    }

    /// The response with the charset UTF-8, for a body that has been converted: a decoder that reads the fields must
    /// not convert it again.
    static func withUTF8Charset(_ response: HTTPResponse) -> HTTPResponse {
        guard var type = MediaType(of: response), let charset = type.charset,
            TextCharset(label: charset) != .utf8
        else { return response }
        type["charset"] = "utf-8"
        var response = response
        response.headerFields[.contentType] = type.description
        return response
    }

    /// The charset that the response names. The media type is parsed only when it may name another one than UTF-8, and
    /// is not longer than any real one, because this is called for each element of a stream.
    private static func charset(of response: HTTPResponse) -> String? {
        guard let text = response.headerFields.value(of: .contentType), text.utf8.count <= 1024,
            text.utf8.contains(UInt8(ascii: ";")), !text.hasSuffix("; charset=utf-8")
        else { return nil }
        return MediaType(of: response)?.charset
    }
}
