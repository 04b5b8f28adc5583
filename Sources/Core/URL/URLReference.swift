// SPDX-License-Identifier: Apache-2.0

/// A URI reference taken apart by RFC 3986 (appendix B), and put together again by §5.2 and §5.3.
///
/// Components keep their percent-encoding: `a%2Fb` is one segment before and after. `nil` and empty differ: `?` alone is
/// an empty query.
package struct URLReference: Hashable, Sendable {
    package var scheme: String?
    package var authority: String?
    package var path: String
    package var query: String?
    package var fragment: String?

    /// Splits without judging: any text is some reference.
    ///
    /// A backslash before the query counts as a slash, as in the URL standard: a target must not mean one host to a
    /// browser and another one here.
    package init(_ text: String) {
        var rest = text[...]
        if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
            fragment = String(rest[rest.utf8.index(after: hash)...])
            rest = rest[..<hash]
        }
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = String(rest[rest.utf8.index(after: mark)...])
            rest = rest[..<mark]
        }
        if rest.utf8.contains(UInt8(ascii: "\\")) {
            // By bytes, because a backslash followed by a combining mark is another `Character`.
            let bytes = rest.utf8.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
            rest = String(decoding: bytes, as: UTF8.self)[...]
        }
        if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = rest[..<colon].lowercased()
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if rest.utf8.starts(with: "//".utf8) {
            let start = rest.utf8.index(rest.startIndex, offsetBy: 2)
            let end = rest[start...].utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = String(rest[start..<end])
            rest = rest[end...]
        }
        path = String(rest)
    }

    /// RFC 3986 §3.1.
    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first.isLetter else { return false }
        return text.utf8.allSatisfy {
            $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
    }

    /// The absolute reference that `reference` means when it stands in a document at `self` (RFC 3986 §5.2.2).
    package func resolving(_ reference: URLReference) -> URLReference {
        var target = reference
        if reference.scheme != nil {
            target.path = Self.removingDotSegments(reference.path)
        } else {
            if reference.authority != nil {
                target.path = Self.removingDotSegments(reference.path)
            } else {
                if reference.path.isEmpty {
                    target.path = path
                    target.query = reference.query ?? query
                } else if reference.path.utf8.first == UInt8(ascii: "/") {
                    target.path = Self.removingDotSegments(reference.path)
                } else {
                    target.path = Self.removingDotSegments(merged(with: reference.path))
                }
                target.authority = authority
            }
            target.scheme = scheme
        }
        return target
    }

    /// RFC 3986 §5.2.3.
    private func merged(with relative: String) -> String {
        if authority != nil, path.isEmpty { return "/" + relative }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return relative }
        return path[...slash] + relative
    }

    /// Adds to the path with one slash between.
    package mutating func appendPath(_ addition: String) { Self.append(addition, to: &path) }

    /// The same for a path alone.
    static func append(_ addition: String, to path: inout String) {
        switch (path.utf8.last == UInt8(ascii: "/"), addition.utf8.first == UInt8(ascii: "/")) {
        case (true, true): path += addition.dropFirst()
        case (false, false): path = "\(path)/\(addition)"
        default: path += addition
        }
    }

    /// RFC 3986 §5.2.4.
    static func removingDotSegments(_ path: String) -> String {
        guard hasSegmentWithLeadingDot(path) else { return path }
        let absolute = path.utf8.first == UInt8(ascii: "/")
        var output: [Substring] = []
        // By bytes: as a Character, a slash with a combining mark behind it is none.
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst(absolute ? 1 : 0).map(Substring.init)
        for (offset, segment) in segments.enumerated() {
            let isLast = offset == segments.count - 1
            switch segment {
            case ".":
                if isLast { output.append("") }
            case "..":
                if !output.isEmpty { output.removeLast() }
                if isLast { output.append("") }
            default:
                output.append(segment)
            }
        }
        return (absolute ? "/" : "") + output.joined(separator: "/")
    }

    /// Whether a segment of a path is `.` or `..`, also when it is percent-encoded: many servers decode it first.
    package static func isDotSegment(_ segment: some Collection<UInt8>) -> Bool {
        // The longest is `%2e%2e`.
        guard segment.count <= 6 else { return false }
        let text = PercentEncoding.decodedText(segment)
        return text == "." || text == ".."
    }

    /// Whether a value that was put into the path makes a segment `.` or `..`.
    ///
    /// - Parameter filled: where the values stand, in bytes, in their order.
    package static func hasDotSegment(_ text: some Sequence<UInt8>, filledAt filled: [Range<Int>]) -> Bool {
        let path = Array(text.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        // Both are in order, so that what ends before one segment ends before the next ones too.
        var rest = filled[...]
        for segment in path.split(separator: UInt8(ascii: "/")) where isDotSegment(segment) {
            rest = rest.drop { $0.upperBound < segment.startIndex }
            // An empty value counts too, because it can leave the template's own dots alone in a segment.
            if let value = rest.first, value.lowerBound <= segment.endIndex { return true }
        }
        return false
    }

    private static func hasSegmentWithLeadingDot(_ path: String) -> Bool {
        var path = path
        return path.withUTF8 { bytes in
            var previous = UInt8(ascii: "/")
            return bytes.contains { byte in
                defer { previous = byte }
                return byte == UInt8(ascii: ".") && previous == UInt8(ascii: "/")
            }
        }
    }

    /// Without user information, query and fragment: nothing secret.
    package var textWithoutSecrets: String {
        var url = self
        (url.query, url.fragment) = (nil, nil)
        if let authority, let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
            url.authority = String(authority[authority.utf8.index(after: at)...])
        }
        return url.text
    }

    /// RFC 3986 §5.3.
    package var text: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }
}
