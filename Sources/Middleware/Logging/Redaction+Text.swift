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
        guard
            text.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "&") })
        else { return text }
        return redactPairs(
            in: redactUserInformation(in: text), startsWithPair: false,
            isSecret: { isSensitiveQueryItem($0, options: options) })
    }

    /// A body as text without its secrets, when it is JSON, a form or other text; else its size.
    ///
    /// - Parameter body: may be cut off anywhere.
    public func body(_ body: Data, contentType: String?) -> String {
        let mediaType = contentType.map { $0.prefix { $0 != ";" }.lowercased().filter { $0 != " " } } ?? ""
        guard let text = Self.text(body), !mediaType.hasPrefix("multipart/") else {
            return "<\(body.count) bytes\(mediaType.isEmpty ? "" : " of \(mediaType)")>"
        }
        if mediaType == "application/x-www-form-urlencoded" {
            return redactPairs(in: text, startsWithPair: true) {
                isSensitiveMember($0) || isSensitiveQueryItem($0, options: nil)
            }
        }
        var redactor = JSONRedactor(text, replacement: replacement, isSecret: isSensitiveMember)
        return url(redactor.redacted())
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

    /// `://user:password@` becomes `://…@`.
    private func redactUserInformation(in text: String) -> String {
        var output = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "://") {
            output += rest[..<start.upperBound]
            rest = rest[start.upperBound...]
            let authority = rest.prefix { !"/?#\"'<> \t".contains($0) }
            if let at = authority.lastIndex(of: "@") {
                output += replacement
                rest = rest[at...]
            }
        }
        return output + rest
    }

    /// Replaces the values of secret `name=value` pairs, which begin behind `?`, `&` or `;`.
    private func redactPairs(in text: String, startsWithPair: Bool, isSecret: (String) -> Bool) -> String {
        var output = ""
        var rest = text[...]
        var isAtPair = startsWithPair
        while !rest.isEmpty {
            if isAtPair {
                let name = rest.prefix { !"=&?;#\"'<> \t\r\n".contains($0) }
                let afterName = rest[name.endIndex...]
                if afterName.first == "=" {
                    let isSecret = isSecret(String(decoding: PercentEncoding.decode(name.utf8), as: UTF8.self))
                    // A semicolon may be part of a secret, or begin one.
                    let value = afterName.dropFirst().prefix {
                        !"&#\"'<> \t\r\n".contains($0) && (isSecret || $0 != ";")
                    }
                    output += isSecret ? "\(name)=\(replacement)" : "\(name)=\(value)"
                    rest = rest[value.endIndex...]
                }
            }
            let plain = rest.prefix { !"?&;".contains($0) }
            output += plain
            rest = rest[plain.endIndex...]
            isAtPair = !rest.isEmpty
            if let separator = rest.popFirst() { output.append(separator) }
        }
        return output
    }
}

/// Replaces the values of secret members in JSON, or in what was JSON before it was cut off.
struct JSONRedactor {
    private let bytes: [UInt8]
    private let replacement: String
    private let isSecret: (String) -> Bool
    private var position = 0

    init(_ text: String, replacement: String, isSecret: @escaping (String) -> Bool) {
        bytes = Array(text.utf8)
        self.replacement = replacement
        self.isSecret = isSecret
    }

    mutating func redacted() -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
                output.append(bytes[position])
                position += 1
                continue
            }
            let start = position
            skipString()
            let name = bytes[start..<position]
            skipSpace()
            if position < bytes.count, bytes[position] == UInt8(ascii: ":"), isSecret(Self.unescaped(name)) {
                position += 1
                skipSpace()
                output += bytes[start..<position]
                skipValue()
                output += Array("\"\(replacement)\"".utf8)
            } else {
                output += bytes[start..<position]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[position]) { position += 1 }
    }

    /// Past the closing quote, or to the end when there is none.
    private mutating func skipString() {
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position = min(position + 1, bytes.count)
    }

    private mutating func skipValue() {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                skipString()
                if depth == 0 { return }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                position += 1
                if depth == 0 { return }
            case UInt8(ascii: ","), 0x20, 0x09, 0x0a, 0x0d:
                if depth == 0 { return }
                position += 1
            default: position += 1
            }
        }
    }

    /// A name with its `\uXXXX` and other escapes resolved, so that none hides behind them.
    private static func unescaped(_ quoted: ArraySlice<UInt8>) -> String {
        var output: [UInt8] = []
        var rest = quoted.dropFirst().dropLast()
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                output.append(byte)
                continue
            }
            if escape == UInt8(ascii: "u"), rest.count >= 4,
                let code = UInt32(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(code)
            {
                output += Array(String(scalar).utf8)
                rest = rest.dropFirst(4)
            } else {
                output.append(escape)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
