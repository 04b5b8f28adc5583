// SPDX-License-Identifier: Apache-2.0

/// Reads `multipart/form-data` (RFC 7578) that is wholly in memory.
enum MultipartForm {
    struct Part: Sendable, Equatable {
        var name: String
        /// Whether the disposition has a file name, be it empty.
        var isFile: Bool
        var fileName: String?
        var contentType: String?
        var body: [UInt8]
    }

    /// The parts that have a name. A body that breaks off gives the parts that are complete.
    static func parts(of bytes: [UInt8], boundary: String) -> [Part] {
        guard !boundary.isEmpty else { return [] }
        let delimiter = Array("\r\n--\(boundary)".utf8)
        // The first delimiter has no line end before it when there is no preamble.
        let text = Array("\r\n".utf8) + bytes
        var parts: [Part] = []
        var start = text.firstRange(of: delimiter, from: 0)?.upperBound
        while let contentStart = start, let next = text.firstRange(of: delimiter, from: contentStart) {
            if text[contentStart...].starts(with: "--".utf8) { break }
            if let part = part(Array(text[contentStart..<next.lowerBound])) { parts.append(part) }
            start = next.upperBound
        }
        return parts
    }

    /// From behind the delimiter to before the next one: padding, line end, fields, empty line, body.
    private static func part(_ bytes: [UInt8]) -> Part? {
        guard let firstLine = bytes.firstRange(of: Array("\r\n".utf8), from: 0),
            let end = bytes.firstRange(of: Array("\r\n\r\n".utf8), from: firstLine.lowerBound)
        else { return nil }
        let head = end.lowerBound > firstLine.lowerBound ? bytes[firstLine.upperBound..<end.lowerBound] : []
        let body = bytes[end.upperBound...]
        var disposition: MediaType?
        var contentType: String?
        for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n") {
            let halves = line.split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else { continue }
            let value = String(halves[1]).trimmingSpaces()
            switch halves[0].lowercased() {
            case "content-disposition": disposition = MediaType(value)
            case "content-type": contentType = value
            default: break
            }
        }
        guard let disposition, let name = disposition.parameters["name"] else { return nil }
        let fileName = disposition.parameters["filename"]
        return Part(
            name: name, isFile: fileName != nil, fileName: fileName, contentType: contentType, body: Array(body))
    }
}

extension [UInt8] {
    fileprivate func firstRange(of pattern: [UInt8], from start: Int) -> Range<Int>? {
        guard let first = pattern.first, count >= pattern.count else { return nil }
        var index = start
        while index <= count - pattern.count {
            guard let candidate = self[index...(count - pattern.count)].firstIndex(of: first) else { return nil }
            if self[candidate..<(candidate + pattern.count)].elementsEqual(pattern) {
                return candidate..<(candidate + pattern.count)
            }
            index = candidate + 1
        }
        return nil
    }
}
