// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The names that responses use most, found without making a string.
enum FieldNameTable {
    private static let names: [HTTPField.Name] = [
        .date, .server, .contentType, .contentLength, .connection, .eTag, .lastModified, .acceptRanges, .cacheControl,
        .vary,
        .contentEncoding, .transferEncoding, .location, .setCookie, .expires, .age, .strictTransportSecurity,
        .accessControlAllowOrigin, .retryAfter, .wwwAuthenticate, .contentDisposition, .contentLanguage, .contentRange,
        .allow,
    ]

    /// By length and first letter; the first of two that share a place wins.
    private static let places: [[(bytes: [UInt8], name: HTTPField.Name)]] = {
        var places = [[(bytes: [UInt8], name: HTTPField.Name)]](repeating: [], count: 1024)
        for name in names {
            // As servers write it, and all in lower case, as HTTP/2 has it: the spelling received is kept.
            for spelling in Set([name.rawName, name.canonicalName]) {
                let bytes = Array(spelling.utf8)
                guard let known = HTTPField.Name(spelling), let place = place(bytes.count, bytes[0]) else { continue }
                places[place].append((bytes, known))
            }
        }
        return places
    }()

    private static func place(_ count: Int, _ first: UInt8) -> Int? {
        count < 32 ? count << 5 | Int(first & 31) : nil
    }

    /// The name spelled exactly by `bytes`, when it is one of the usual ones.
    static func name(_ bytes: UnsafeRawBufferPointer) -> HTTPField.Name? {
        guard let first = bytes.first, let place = place(bytes.count, first) else { return nil }
        return places[place].first { $0.bytes.elementsEqual(bytes) }?.name
    }
}
