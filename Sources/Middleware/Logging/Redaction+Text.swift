// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Redaction {
    /// The value of a field, or what stands in its place.
    public func value(of field: HTTPField, options: RequestOptions? = nil) -> String {
        isSensitive(field.name, options: options) ? replacement : url(field.value, options: options)
    }

    /// A URL, or a text with URLs in it, without user information and without the values of secret query items.
    public func url(_ text: String, options: RequestOptions? = nil) -> String {
        urls(in: text, endingAt: .inText, options: options)
    }

    /// The same for what is one URL and nothing else, in whose query a value may have what would end it in a text.
    func wholeURL(_ url: String, options: RequestOptions?) -> String {
        urls(in: url, endingAt: .inURL, options: options)
    }

    private func urls(in text: String, endingAt delimiters: Delimiters, options: RequestOptions?) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "@") }) else { return text }
        return redact(text, startsWithPair: false, delimiters) { isSensitiveQueryItem($0, options: options) }
    }

    /// A body as text without its secrets, when it is JSON, a form or other text; else its size.
    ///
    /// - `body`: may be cut off anywhere.
    public func body(_ body: Data, contentType: String?, options: RequestOptions? = nil) -> String {
        let mediaType = HTTPFields.essence(of: contentType)
        // Also of a type that is malformed, or a list: there a secret stands on a line of its own.
        guard let text = Self.text(body), contentType?.lowercased().contains("multipart") != true else {
            return "<\(body.count) bytes\(mediaType.map { " of \($0)" } ?? "")>"
        }
        if mediaType == EncodedBody.formType {
            return pairs(in: text, endingAt: .inForm, options: options)
        }
        return anything(text, options: options)
    }

    /// What may be JSON, or a form that is not declared, or have URLs in it; and so may each string in JSON.
    private func anything(_ text: String, options: RequestOptions?, depth: Int = 0) -> String {
        guard text.utf8.contains(where: { "=@\"".utf8.contains($0) }) else { return text }
        var redactor = JSONRedactor(text, replacement: replacement) { name in
            isSensitiveMember(name, options: options)
        } redactString: { string in
            // Inside of so many strings, it may be anything.
            depth == 4 && string.utf8.contains(UInt8(ascii: "\""))
                ? replacement : anything(string, options: options, depth: depth + 1)
        }
        return pairs(in: redactor.redacted(), endingAt: .inText, options: options)
    }

    private func pairs(in text: String, endingAt delimiters: Delimiters, options: RequestOptions?) -> String {
        redact(text, startsWithPair: true, delimiters) {
            isSensitiveMember($0, options: options) || isSensitiveQueryItem($0, options: options)
        }
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

    /// The text without its secrets: all are found before any is replaced, for each may be a part of another.
    private func redact(
        _ text: String, startsWithPair: Bool, _ delimiters: Delimiters, isSecret: (String) -> Bool
    ) -> String {
        let text = Array(text.utf8)
        let values = Self.values(in: text, startsWithPair: startsWithPair, delimiters, isSecret: isSecret) {
            Self.hidesSecret($0, isSecret: isSecret)
        }
        var output: [UInt8] = []
        var end = 0
        for secret in (Self.userInformation(in: text) + values).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if secret.lowerBound >= end {
                output += text[end..<secret.lowerBound]
                output += replacement.utf8
            }
            end = max(end, secret.upperBound)
        }
        output += text[end...]
        return String(decoding: output, as: UTF8.self)
    }

    /// Where `user:password` of `://user:password@` stands.
    private static func userInformation(in text: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var rest = text[...]
        while !rest.isEmpty {
            guard rest.starts(with: "://".utf8) else {
                rest.removeFirst()
                continue
            }
            rest = rest.dropFirst(3)
            let authority = rest.prefix { !Delimiters.ofAuthority.contains($0) }
            if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
                found.append(authority.startIndex..<at)
                rest = rest[at...]
            }
        }
        return found
    }

    /// Where the values of secret `name=value` pairs stand, which begin behind `?`, `&`, `;`, `#` and line breaks, and those
    /// that hide a secret.
    private static func values(
        in text: [UInt8], startsWithPair: Bool, _ delimiters: Delimiters, isSecret: (String) -> Bool,
        hidesSecret: (ArraySlice<UInt8>) -> Bool = { _ in false }
    ) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var rest = text[...]
        var isAtPair = startsWithPair
        while let byte = rest.first {
            if isAtPair {
                isAtPair = false
                let name = rest.prefix { !delimiters.ofNames.contains($0) }
                guard name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: "=") else { continue }
                rest = rest[(name.endIndex + 1)...]
                // A semicolon may be part of a secret.
                let isNamed = isSecret(PercentEncoding.decodedText(name))
                let ends = isNamed ? delimiters.ofValues : delimiters.beforeNames
                var value = rest.prefix { !ends.contains($0) }
                if isNamed, delimiters.areOfText { value = rest[..<max(value.endIndex, endOfQuotes(rest))] }
                if isNamed || hidesSecret(value) {
                    found.append(value.indices)
                    rest = rest[value.endIndex...]
                }
            } else {
                isAtPair = Delimiters.beforePairs.contains(byte)
                rest.removeFirst()
            }
        }
        return found
    }

    /// Where the quotes close that stand at the start, at the end of the text when they do not.
    private static func endOfQuotes(_ text: ArraySlice<UInt8>) -> Int {
        var rest = text
        // A quote that is doubled goes on (RFC 4180 §2).
        while let quote = rest.first, Delimiters.quotes.contains(quote) {
            rest.removeFirst()
            while let byte = rest.popFirst(), byte != quote {
                if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
            }
        }
        return rest.startIndex
    }

    /// Whether a value is a pair or a URL with a secret in it, encoded or not.
    private static func hidesSecret(_ value: ArraySlice<UInt8>, isSecret: (String) -> Bool) -> Bool {
        var text = Array(value)
        for _ in 0..<4 {
            if !userInformation(in: text).isEmpty
                || !values(in: text, startsWithPair: true, .inText, isSecret: isSecret).isEmpty
            {
                return true
            }
            let inner = PercentEncoding.decode(text)
            if inner == text { return false }
            text = inner
        }
        // Encoded so often, it may be anything.
        return true
    }
}

/// Where the parts of URLs and forms end.
private struct Delimiters {
    let ofValues: Set<UInt8>
    let beforeNames: Set<UInt8>
    let ofNames: Set<UInt8>
    /// Whether a value may stand in quotes.
    var areOfText: Bool { ofValues.contains(UInt8(ascii: "\"")) }

    private init(ofValues: String) {
        self.ofValues = Set(ofValues.utf8)
        beforeNames = self.ofValues.union("?;".utf8)
        ofNames = beforeNames.union("=".utf8)
    }

    static let inForm = Delimiters(ofValues: "&")
    static let inURL = Delimiters(ofValues: "&#")
    /// In a text a URL ends where no URL goes on; a `'` may be part of one (RFC 3986 §2.2).
    static let inText = Delimiters(ofValues: "&#\"<> \t\r\n")

    static let quotes = Set("\"'".utf8)
    static let beforePairs = Set("?&;#\r\n".utf8)
    /// `&` and `'` may be part of a password (RFC 3986 §3.2.1).
    static let ofAuthority = Set("/?#\"<> \t\r\n".utf8)
}
