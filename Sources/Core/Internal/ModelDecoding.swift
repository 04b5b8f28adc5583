// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Models that are read without a decoder, and all others by theirs.
package enum ModelDecoding {
    static func decode<Model: Decodable>(
        _ type: Model.Type, from data: Data, response: HTTPResponse, decoder: any ResponseBodyDecoder
    ) throws -> Model {
        if data.isEmpty || [204, 205, 304].contains(response.status.code),
            let optional = type as? any OptionalType.Type, let none = optional.absent as? Model
        {
            return none
        }
        if !decodesPartOfBody(of: response, decoder), let value = try whole(type, data, response) { return value }
        return try decoder.decode(type, from: data, response: response)
    }

    /// Whether `Data` and `String` are values inside of this response's body.
    package static func decodesPartOfBody(of response: HTTPResponse, _ decoder: any ResponseBodyDecoder) -> Bool {
        (decoder as? any ResponseDependentDecoder)?.decodesPartOfBody(of: response) ?? decoder.decodesPartOfBody
    }

    /// The body itself, for a model that is no more than its bytes or their text; `nil` for any other.
    package static func whole<Model>(_ type: Model.Type, _ data: Data, _ response: HTTPResponse) throws -> Model? {
        if type == Data.self || type == Data?.self { return data as? Model }
        guard type == String.self || type == String?.self else { return nil }
        return try text(data, contentType: response.headerFields.contentType) as? Model
    }

    /// Text in the charset that its byte order mark or the media type names; UTF-8 when neither does.
    static func text(_ data: Data, contentType: String?) throws -> String {
        let label = contentType.flatMap(charset(of:)) ?? "utf-8"
        // The label itself is part of a field's value: no error shows it.
        guard let charset = TextCharset(markOf: data) ?? TextCharset(label: label) else {
            throw NetworkClientError(.decodingFailed, "the charset of the body is not known")
        }
        guard let text = charset.decode(data) else {
            throw NetworkClientError(.decodingFailed, "the body is not text in the charset \(charset)")
        }
        return text
    }

    private static func charset(of contentType: String) -> String? {
        for parameter in contentType.splitOutsideQuotes(at: UInt8(ascii: ";")).dropFirst() {
            let pair = Substring(parameter).split(separator: "=", maxSplits: 1)
            // A blank behind the name makes it none (RFC 9110 §5.6.6).
            guard pair.count == 2, pair[0].drop(while: { $0 == " " || $0 == "\t" }).lowercased() == "charset" else {
                continue
            }
            return pair[1].filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
        }
        return nil
    }
}
