// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The fields that responses have most. Their names are found without making a string; and since servers repeat
/// themselves, a field that comes again with the same value is neither checked nor made anew.
///
/// Touched under the loop's lock alone.
final class FieldMemory {
    private struct Entry {
        let name: HTTPField.Name
        let spelling: [UInt8]
        /// Whether one response's value is likely to be the next one's too, and holds no secret.
        let isRepetitive: Bool
        var field: HTTPField?
        /// Another entry in the same place.
        let next: Int?
    }

    private var entries: [Entry] = []
    /// The first entry for each length and first letter.
    private var places = [Int?](repeating: nil, count: 1024)

    /// Longer values are not kept.
    private static let maximumSize = 256

    private static let repetitive: [HTTPField.Name] = [
        .date, .server, .contentType, .connection, .lastModified, .acceptRanges, .cacheControl, .vary, .contentEncoding,
        .expires, .strictTransportSecurity, .accessControlAllowOrigin, .contentLanguage, .allow,
    ]
    private static let others: [HTTPField.Name] = [
        .contentLength, .eTag, .transferEncoding, .location, .setCookie, .age, .retryAfter, .wwwAuthenticate,
        .contentDisposition, .contentRange,
    ]

    init() {
        for name in Self.repetitive { add(name, isRepetitive: true) }
        for name in Self.others { add(name, isRepetitive: false) }
    }

    /// As servers write it, and all in lower case, as HTTP/2 has it: the spelling received is kept.
    private func add(_ name: HTTPField.Name, isRepetitive: Bool) {
        for text in Set([name.rawName, name.canonicalName]) {
            let spelling = Array(text.utf8)
            guard let known = HTTPField.Name(text), let place = Self.place(spelling.count, spelling[0]) else {
                continue
            }
            entries.append(Entry(name: known, spelling: spelling, isRepetitive: isRepetitive, next: places[place]))
            places[place] = entries.count - 1
        }
    }

    private static func place(_ count: Int, _ first: UInt8) -> Int? {
        count < 32 ? count << 5 | Int(first & 31) : nil
    }

    /// The number of the name spelled exactly so, when it is one of the usual ones.
    func number(of spelling: UnsafeRawBufferPointer) -> Int? {
        guard let first = spelling.first, let place = Self.place(spelling.count, first) else { return nil }
        var candidate = places[place]
        while let number = candidate {
            if entries[number].spelling.elementsEqual(spelling) { return number }
            candidate = entries[number].next
        }
        return nil
    }

    func name(_ number: Int) -> HTTPField.Name { entries[number].name }

    /// The field of that name, when it came last with the same value.
    func field(_ number: Int, _ value: UnsafeRawBufferPointer) -> HTTPField? {
        guard let field = entries[number].field,
            field.withUnsafeBytesOfValue({ UnsafeRawBufferPointer($0).elementsEqual(value) })
        else { return nil }
        return field
    }

    /// - Parameter size: of the value, in bytes.
    func keep(_ field: HTTPField, _ number: Int, size: Int) {
        if entries[number].isRepetitive, size <= Self.maximumSize { entries[number].field = field }
    }
}
