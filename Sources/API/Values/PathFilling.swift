// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

/// Puts values in the placeholders of a path.
struct PathFilling {
    /// What goes in for a placeholder, percent-encoded.
    private var values: [String: String] = [:]

    /// - Parameter isEncoded: the text is percent-encoded already, and goes in as it is.
    mutating func fill(_ placeholder: String, with text: String, isEncoded: Bool) throws {
        guard isEncoded else {
            values[placeholder] = PercentEncoding.encode(text)
            return
        }
        try EncodedText.check(text, allowed: .path, what: "path value '\(placeholder)'")
        values[placeholder] = text
    }

    /// - Throws: `malformedURL` for a placeholder without a value, and for a value that leaves a whole segment empty or
    ///   makes it `.` or `..`, also in its encoded spelling: it would name another resource (RFC 3986 §5.2.4).
    func path(of template: String) throws -> String {
        let mark = template.firstIndex(of: "?") ?? template.endIndex
        let segments = try template[..<mark].split(separator: "/", omittingEmptySubsequences: false).map { segment in
            guard segment.contains("{") else { return String(segment) }
            let filled = try fill(segment)
            guard !filled.isEmpty else {
                throw NetworkClientError(.malformedURL, "the path's segment '\(segment)' is empty")
            }
            for piece in filled.split(separator: "/") where URLReference.isDotSegment(piece.utf8) {
                throw NetworkClientError(.malformedURL, "a path value makes a segment '.' or '..'")
            }
            return filled
        }
        return segments.joined(separator: "/") + (try fill(template[mark...]))
    }

    private func fill(_ text: Substring) throws -> String {
        var result = ""
        var rest = text
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: open)..<close])
            guard let value = values[name] else {
                throw NetworkClientError(.malformedURL, "the path's placeholder '{\(name)}' has no value")
            }
            result += rest[..<open] + value
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }
}
