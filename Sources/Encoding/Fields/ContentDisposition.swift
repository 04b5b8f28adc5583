// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import StrataCore

/// What a body or a part of one is for, and under which name to save it (RFC 6266; RFC 7578 §4.2 for forms).
public struct ContentDisposition: Hashable, Sendable {
    /// `attachment`, `inline`, `form-data` …, in lower case.
    public let type: String
    /// The parameters by their names in lower case. Extended values (`filename*`) are decoded and stand under the plain
    /// name, where they win over a plain value. If a parameter is repeated, the first one counts.
    public let parameters: [String: String]

    /// The field's name in a form.
    public var name: String? { parameters["name"] }

    /// As the sender wrote it. It may hold a path: use ``safeFilename`` to save under it.
    public var filename: String? { parameters["filename"] }

    /// - Returns: `nil` when the value does not begin with a type.
    public init?(_ text: some StringProtocol) {
        self.init(bytes: Array(text.utf8), dialect: .http)
    }

    /// The `Content-Disposition` of a response, the first if there are several. What is not UTF-8 is read as Windows-1252.
    public init?(of response: HTTPResponse) {
        guard let field = response.headerFields[fields: .contentDisposition].first else { return nil }
        self.init(field.text)
    }

    enum Dialect {
        /// A backslash in quotes escapes (RFC 9110 §5.6.4).
        case http
        /// A backslash escapes nothing but a quote, and `%22`, `%0D` and `%0A` stand for characters that cannot be in
        /// quotes (HTML §4.10.21.8).
        case form
    }

    init?(bytes: [UInt8], dialect: Dialect) {
        var reader = FieldReader(bytes)
        reader.skipWhitespace()
        guard let type = reader.token() else { return nil }
        reader.skipWhitespace()
        guard reader.isAtEnd || reader.peek() == UInt8(ascii: ";") else { return nil }
        self.type = type.asciiLowercased
        var found = FieldParameters()
        while let (name, value) = Self.parameter(&reader, dialect) { found.add(name, value) }
        parameters = found.merged
    }

    private static func parameter(_ reader: inout FieldReader, _ dialect: Dialect) -> (String, String)? {
        while !reader.isAtEnd {
            _ = reader.read { $0 != UInt8(ascii: ";") }
            guard reader.consume(UInt8(ascii: ";")) else { return nil }
            reader.skipWhitespace()
            guard let name = reader.token() else { continue }
            reader.skipWhitespace()
            guard reader.consume(UInt8(ascii: "=")) else { continue }
            reader.skipWhitespace()
            let value: String
            if reader.peek() == UInt8(ascii: "\"") {
                value = (dialect == .form ? reader.formQuotedText() : reader.quotedText()) ?? ""
            } else {
                value = String(decoding: reader.read { $0 != UInt8(ascii: ";") }.trimmingBlanks, as: UTF8.self)
            }
            return (name.asciiLowercased, value)
        }
        return nil
    }
}

extension ContentDisposition {
    /// A name to save a download under: the last segment of ``filename``, without control characters. It has 238 bytes
    /// at most, which leaves room for the suffix of a download that can resume. A longer name is cut before its
    /// extension.
    ///
    /// `nil` when nothing usable is left: no name, only separators, or `.`, `..`, `~`, `|`, which mean something to
    /// file systems and shells (RFC 6266 §4.3).
    public var safeFilename: String? {
        guard let filename else { return nil }
        let last = filename.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? []
        var name = String.UnicodeScalarView()
        // Control characters, and the marks that reverse the direction of text to hide an extension.
        name.append(
            contentsOf: last.filter {
                !$0.isControl && !("\u{202A}"..."\u{202E}").contains($0) && !("\u{2066}"..."\u{2069}").contains($0)
            })
        var text = Substring(Self.shortened(String(name)))
        while text.last == " " { text.removeLast() }
        while text.first == " " { text.removeFirst() }
        return ["", ".", "..", "~", "|"].contains(text) ? nil : String(text)
    }

    /// Bytes of a name: `NAME_MAX`, with room for a suffix while the file is being written.
    private static let longestName = 255 - 17
    /// Bytes from the last dot on; more are no extension.
    private static let longestExtension = 32

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longestName else { return name }
        var suffix = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        if suffix.utf8.count > longestExtension { suffix = "" }
        var stem = String.UnicodeScalarView()
        var room = longestName - suffix.utf8.count
        for scalar in name.unicodeScalars {
            room -= scalar.utf8.count
            guard room >= 0 else { break }
            stem.append(scalar)
        }
        return String(stem) + suffix
    }
}
