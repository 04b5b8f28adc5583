// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A response whose media type no decoder is registered for.
///
/// The description names the type alone, the debug description shows more:
///
///     no decoder is registered for text/html
///     no decoder for text/html; known: application/json, text/plain; the body begins: "<!DOCTYPE html>…"
public struct UnknownContentTypeError: Error, Hashable, Sendable {
    /// The field as it came, at most 200 characters of it; `nil` when there was none.
    public let contentType: String?
    /// What could have been decoded.
    public let known: [String]
    /// The first bytes of the body, at most 80.
    public let start: Data

    init(response: HTTPResponse, body: Data, known: [String]) {
        contentType = response.headerFields[.contentType].map { String($0.prefix(200)) }
        self.known = known
        start = Data(body.prefix(80))
    }
}

extension UnknownContentTypeError: DescribedError {
    /// Without anything of the body, and of the type only its name.
    public var description: String {
        guard let contentType else { return "the response has no Content-Type, and no decoder is set for that case" }
        guard let type = MediaType(HTTPFields.lastMediaType(in: contentType)) else {
            return "the response's Content-Type is not a media type"
        }
        return "no decoder is registered for \(type.essence.prefix(100))"
    }
}

extension UnknownContentTypeError: CustomDebugStringConvertible {
    /// Shows the start of the body: text as it is, anything else as hexadecimal digits.
    public var debugDescription: String {
        let type = contentType.map { "for \($0)" } ?? "without a Content-Type"
        return "no decoder \(type); known: \(known.joined(separator: ", ")); the body \(preview)"
    }

    private var preview: String {
        if start.isEmpty { return "is empty" }
        let isText = start.allSatisfy { !$0.isControl || [0x09, 0x0A, 0x0D].contains($0) }
        if isText {
            let text = String(decoding: start.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
            return "begins: \"\(text)\""
        }
        return "begins with the bytes " + start.prefix(16).map(\.hexadecimal).joined()
    }
}
