// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension Redaction {
    /// The value of a field, or what stands in its place.
    package func value(of field: HTTPField, options: RequestOptions? = nil) -> String {
        isSensitive(field.name, options: options) ? replacement : url(field.value, options: options)
    }

    /// A URL, or a text with URLs in it, without user information and without the values of secret query items. Other
    /// secrets in the text, in pairs such as `; token=…`, in JSON and behind `Bearer`, are replaced as in a body.
    package func url(_ text: String, options: RequestOptions? = nil) -> String {
        guard Self.mayHoldSecret(text) else { return text }
        return pairs(in: members(in: text, options: options), .inText, options: options)
    }

    /// The same for a text that is one URL and nothing else. A value in its query may have characters that would end a
    /// URL within a text.
    package func wholeURL(_ url: String, options: RequestOptions?) -> String {
        guard Self.mayHoldSecret(url) else { return url }
        return pairs(in: url, .inURL, options: options)
    }

    /// A body as text without its secrets, when it is JSON, a form, XML, YAML or other text; else its size.
    ///
    /// The size alone is shown, too, of a multipart body, of a table with a column for secrets, and of XML with escaped XML
    /// with secrets in it: there, the search would miss some.
    ///
    /// - `body`: may be cut off anywhere.
    package func body(_ body: Data, contentType: String?, options: RequestOptions? = nil) -> String {
        maskedText(body, contentType: contentType, options: options)
            ?? "<\(body.count) bytes\(HTTPFields.essence(of: contentType).map { " of \($0)" } ?? "")>"
    }

    /// The same; `nil` where the size alone is shown.
    package func maskedText(_ body: Data, contentType: String?, options: RequestOptions?) -> String? {
        let mediaType = HTTPFields.essence(of: contentType)
        // A multipart body is not shown, also when its type is malformed or in a list: in its parts a secret stands on
        // a line of its own.
        guard let text = Self.text(body), contentType?.lowercased().contains("multipart") != true,
            !isTooHardToSearch(text, mediaType, options: options)
        else { return nil }
        if mediaType == EncodedBody.formType, !Self.beginsAsJSON(text) {
            // A form may hold JSON that is not percent-encoded, and in it the delimiters of forms.
            return pairs(in: members(in: text, options: options), .inForm, isBody: true, options: options)
        }
        guard Self.isJSONLines(mediaType) else { return anything(text, options: options) }
        // A string that is cut off in one line of JSON Lines does not go on in the next.
        func lines(of text: String) -> [Substring.UTF8View] {
            text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        }
        var parts = lines(of: text)
        if !parts.dropLast().allSatisfy(Self.isJSON) {
            // First the text as a whole, because a value may have several lines.
            parts = lines(of: anything(text, options: options, looksAtLines: false))
        }
        return parts.map { anything(String(Substring($0)), options: options) }.joined(separator: "\n")
    }

    /// Whether a line is an object or an array, as far as its brackets and quotes tell, or empty: then nothing goes on in the next.
    private static func isJSON(_ line: Substring.UTF8View) -> Bool {
        var (depth, isString, isEscaped, isOver) = (0, false, false, false)
        for byte in line {
            if isEscaped {
                isEscaped = false
            } else if isString {
                isEscaped = byte == UInt8(ascii: "\\")
                isString = byte != UInt8(ascii: "\"")
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                if isOver { return false }
                depth += 1
            } else if !byte.isWhitespace {
                if depth == 0 { return false }
                if byte == UInt8(ascii: "\"") { isString = true }
                if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
                isOver = depth == 0
            }
        }
        return depth == 0 && !isString
    }

    /// Bytes that are no text, with the secrets in them that are known by how they look, and the credentials behind `Bearer`
    /// and `Basic`, overwritten: there are as many bytes as before.
    package func bytes(_ body: Data) -> Data {
        var bytes = [UInt8](body)
        let secrets = SecretSearch.shapes(in: bytes) + SecretSearch.credentials(in: bytes)
        if secrets.isEmpty { return body }
        for index in secrets.joined() { bytes[index] = UInt8(ascii: "*") }
        return Data(bytes)
    }

    /// Whether a body is UTF-8 without control characters, but for a character that is cut off at its end.
    package static func isText(_ body: Data) -> Bool { text(body) != nil }

    /// A cheap test, which most short texts fail: a secret has a name in front of it, or is long.
    private static func mayHoldSecret(_ text: String) -> Bool {
        text.utf8.count >= SecretSearch.shortestShape || text.utf8.contains { "=@\": <+".utf8.contains($0) }
    }

    /// Whether secrets stand where no search finds them: in the columns of a table, and in XML that is escaped.
    private func isTooHardToSearch(_ text: String, _ mediaType: String?, options: RequestOptions?) -> Bool {
        if ["csv", "tab-separated"].contains(where: { mediaType?.contains($0) == true }) {
            let columns = text.prefix { !$0.isNewline }.split { ",;\t\" ".contains($0) }
            return columns.contains { isSensitiveMember(String($0), options: options) }
        }
        guard text.utf8.contains(UInt8(ascii: "&")), text.contains("&lt;") || text.contains("&#") else { return false }
        var plain = text
        for (escape, character) in Self.escapes { plain = plain.replacing(escape, with: character) }
        let search = SecretSearch(
            redaction: self, options: options, delimiters: .inText, isBody: true, startsWithParameter: false, depth: 0)
        return search.markupValues(in: Array(plain.utf8)).count > search.markupValues(in: Array(text.utf8)).count
    }

    private static let escapes = [
        ("&lt;", "<"), ("&#60;", "<"), ("&#x3c;", "<"), ("&#x3C;", "<"), ("&gt;", ">"), ("&#62;", ">"), ("&#x3e;", ">"),
        ("&#x3E;", ">"), ("&quot;", "\""), ("&#34;", "\""),
    ]

    private static func isJSONLines(_ mediaType: String?) -> Bool {
        ["jsonl", "ndjson"].contains { mediaType?.contains($0) == true }
    }

    /// Whether a body that is declared as a form is JSON: curl, and URLSession when it is told nothing, declare every
    /// body as a form.
    private static func beginsAsJSON(_ text: String) -> Bool {
        let first = text.utf8.first { !$0.isWhitespace && !"\u{feff}".utf8.contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// Redacts a text that may be JSON, or a form that is not declared as one, or may have URLs in it. Each string in
    /// JSON may be such a text again.
    private func anything(
        _ text: String, options: RequestOptions?, depth: Int = 0, looksAtLines: Bool = true
    ) -> String {
        guard Self.mayHoldSecret(text) else { return text }
        return pairs(
            in: members(in: text, options: options, depth: depth), .inText, isBody: true, options: options,
            depth: depth, looksAtLines: looksAtLines)
    }

    /// The text without the secrets in its JSON.
    func members(in text: String, options: RequestOptions?, depth: Int = 0) -> String {
        guard text.utf8.contains(UInt8(ascii: "\"")) else { return text }
        var redactor = JSONRedactor(text, replacement: replacement) { name in
            isSensitiveMember(name, options: options)
        } redactString: { string in
            depth >= SecretSearch.maximumDepth && string.utf8.contains(UInt8(ascii: "\""))
                ? replacement : anything(string, options: options, depth: depth + 1)
        }
        return redactor.redacted()
    }

    /// The text without the secrets in its pairs and URLs.
    private func pairs(
        in text: String, _ delimiters: SecretSearch.Delimiters, isBody: Bool = false, options: RequestOptions?,
        depth: Int = 0, looksAtLines: Bool = true
    ) -> String {
        let search = SecretSearch(
            redaction: self, options: options, delimiters: delimiters, isBody: isBody, startsWithParameter: isBody,
            depth: depth, looksAtLines: looksAtLines)
        let bytes = Array(text.utf8)
        // All are found before any is replaced, for each may be a part of another.
        let secrets = search.secrets(in: bytes).sorted { $0.lowerBound < $1.lowerBound }
        guard !secrets.isEmpty else { return text }
        var output: [UInt8] = []
        var end = 0
        for secret in secrets {
            if secret.lowerBound >= end {
                output += bytes[end..<secret.lowerBound]
                output += replacement.utf8
            }
            end = max(end, secret.upperBound)
        }
        output += bytes[end...]
        return String(decoding: output, as: UTF8.self)
    }

    /// `nil` for what is not UTF-8 or has control characters; a character that is cut off at the end is left out.
    private static func text(_ data: Data) -> String? {
        var whole = data
        let continuation = data.suffix(3).reversed().prefix { $0 & 0xc0 == 0x80 }.count
        if let lead = data.dropLast(continuation).last, (0xc2...0xf4).contains(lead),
            continuation < (lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3)
        {
            whole = data.dropLast(continuation + 1)
        }
        guard let text = String(validating: whole, as: UTF8.self) else { return nil }
        return text.utf8.contains { $0 < 0x20 && $0 != 0x09 && $0 != 0x0a && $0 != 0x0d } ? nil : text
    }
}
