// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Models that are read without a decoder, and all others by theirs.
enum ModelDecoding {
    static func decode<Model: Decodable>(
        _ type: Model.Type, from data: Data, response: HTTPResponse, decoder: any ResponseBodyDecoder
    ) throws -> Model {
        if data.isEmpty || [204, 205, 304].contains(response.status.code),
            let optional = type as? any ExpressibleByNilLiteral.Type, let none = optional.init(nilLiteral: ()) as? Model
        {
            return none
        }
        if decoder.decodesPartOfBody { return try decoder.decode(type, from: data, response: response) }
        if type == Data.self || type == Data?.self, let value = data as? Model { return value }
        if type == String.self || type == String?.self,
            let value = try text(data, contentType: response.headerFields[.contentType]) as? Model
        {
            return value
        }
        return try decoder.decode(type, from: data, response: response)
    }

    /// Text in the charset that its byte order mark or the media type names; UTF-8 when neither does.
    static func text(_ data: Data, contentType: String?) throws -> String {
        let label = contentType.flatMap(charset(of:)) ?? "utf-8"
        guard let text = (TextCharset(markOf: data) ?? TextCharset(label: label))?.decode(data) else {
            throw NetworkClientError(.decodingFailed, "the body is not text in the charset \(label.prefix(40))")
        }
        return text
    }

    private static func charset(of contentType: String) -> String? {
        var isQuoted = false
        var isEscaped = false
        let parameters = contentType.utf8.split { byte in
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
            return byte == UInt8(ascii: ";") && !isQuoted
        }
        for parameter in parameters.dropFirst() {
            let pair = Substring(parameter).split(separator: "=", maxSplits: 1).map {
                $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
            }
            if pair.count == 2, pair[0].lowercased() == "charset" { return pair[1].lowercased() }
        }
        return nil
    }
}
