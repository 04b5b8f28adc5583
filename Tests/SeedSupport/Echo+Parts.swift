// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension Echo {
    /// A part of a multipart body.
    package struct Part: Sendable {
        package let disposition: String?
        package let contentType: String?
        package let body: Data
    }

    struct NotMultipart: Error {}

    /// The parts, read by the framing of RFC 2046 §5.1 as it stands in the body, by hand.
    package var parts: [Part] {
        get throws {
            guard let type = self["Content-Type"], type.hasPrefix("multipart/form-data; boundary="),
                let boundary = type.split(separator: "=").last
            else { throw NotMultipart() }
            let delimiter = Data("\r\n--\(boundary)".utf8)
            var rest = Data("\r\n".utf8) + body
            var pieces: [Data] = []
            while let range = rest.range(of: delimiter) {
                pieces.append(Data(rest[..<range.lowerBound]))
                rest = Data(rest[range.upperBound...])
            }
            guard rest == Data("--\r\n".utf8), pieces.first?.isEmpty == true else { throw NotMultipart() }
            return try pieces.dropFirst().map(Self.part)
        }
    }

    private static func part(_ text: Data) throws -> Part {
        guard let end = text.range(of: Data("\r\n\r\n".utf8)) else { throw NotMultipart() }
        let head = String(decoding: text[..<end.lowerBound], as: UTF8.self)
        var fields: [String: String] = [:]
        for line in head.components(separatedBy: "\r\n") where !line.isEmpty {
            let pair = line.components(separatedBy: ": ")
            fields[pair[0].lowercased()] = pair.dropFirst().joined(separator: ": ")
        }
        return Part(
            disposition: fields["content-disposition"], contentType: fields["content-type"],
            body: Data(text[end.upperBound...]))
    }
}
