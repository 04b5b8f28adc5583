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
        let named = MediaType(of: response)?.charset.flatMap(TextCharset.init(label:))
        guard let charset = sniffed(data) ?? named, charset != .utf8, charset != .ascii else { return data }
        guard let text = charset.decode(data) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "the body is not text in \(charset)"))
        }
        return Data(text.utf8)
    }

    /// A body that was made UTF-8 must not be converted again by who reads the response's fields.
    static func withUTF8Charset(_ response: HTTPResponse) -> HTTPResponse {
        guard var type = MediaType(of: response), let charset = type.charset,
            TextCharset(label: charset) != .utf8
        else { return response }
        type["charset"] = "utf-8"
        var response = response
        response.headerFields[.contentType] = type.description
        return response
    }

    /// RFC 4627 §3: the first two characters are ASCII, so the zeros tell; a byte order mark tells, too.
    private static func sniffed(_ data: Data) -> TextCharset? {
        let head = [UInt8](data.prefix(4))
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8 }
        guard head.count >= 2 else { return nil }
        switch (head[0], head[1], head.count > 2 ? head[2] : 1, head.count > 3 ? head[3] : 1) {
        case (0, 0, 0xFE, 0xFF), (0, 0, 0, 1...): return .utf32BigEndian
        case (0xFF, 0xFE, 0, 0), (1..., 0, 0, 0): return .utf32LittleEndian
        case (0xFE, 0xFF, _, _), (0, 1..., _, _): return .utf16BigEndian
        case (0xFF, 0xFE, _, _), (1..., 0, _, _): return .utf16LittleEndian
        default: return nil
        }
    }
}
