// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPField {
    /// The value as text, by ``text(of:)``.
    package var text: String { withUnsafeBytesOfValue { Self.text(of: $0) } }

    /// The text of a value or of a part of one: Windows-1252 where it is not UTF-8, as browsers read it (RFC 9110 §5.5 lets
    /// servers send any bytes).
    package static func text(of bytes: some Collection<UInt8>) -> String {
        TextCharset.ascii.decode(Data(bytes)) ?? String(decoding: bytes, as: UTF8.self)
    }
}

extension HTTPFields {
    /// The same as the subscript, without the cost of joining when there is only one field of the name.
    package func value(of name: HTTPField.Name) -> String? {
        var value: String?
        for field in self where field.name == name {
            if value != nil { return self[name] }
            value = field.value
        }
        return value
    }

    /// The `Content-Type`; the last that is a media type if there are several.
    package var contentType: String? { value(of: .contentType).map(Self.lastMediaType) }

    /// The last media type in a `Content-Type` that is a list by mistake; the whole text when no member is a media
    /// type. RFC 9110 §8.3 says that recipients often do this, and Fetch ("extract a MIME type") asks for it.
    package static func lastMediaType(in contentType: String) -> String {
        guard contentType.utf8.contains(UInt8(ascii: ",")) else { return contentType }
        let members = contentType.splitOutsideQuotes(at: UInt8(ascii: ","))
        guard let last = members.last(where: isMediaType) else { return contentType }
        return String(Substring(last.drop(while: \.isBlank)))
    }

    /// The `type/subtype` of a `Content-Type`, in lower case and without parameters (RFC 9110 §8.3.1). If it lists
    /// several, the last that is a media type. `nil` when it lacks a type or a subtype.
    package static func essence(of contentType: String?) -> String? {
        guard let contentType else { return nil }
        let type = lastMediaType(in: contentType)
        let essence = Substring(type.utf8.prefix { $0 != UInt8(ascii: ";") }.trimmingBlanks).asciiLowercased
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        return essence
    }

    /// The value of a media type's parameter as it stands there, with its quotes; `nil` when it is missing or empty.
    ///
    /// - Parameter name: in lower case.
    static func parameter(_ name: String, of contentType: String) -> String? {
        for parameter in contentType.splitOutsideQuotes(at: UInt8(ascii: ";")).dropFirst() {
            let pair = Substring(parameter).split(separator: "=", maxSplits: 1)
            // With a blank before the `=` it is no parameter (RFC 9110 §5.6.6).
            guard pair.count == 2, pair[0].drop(while: { $0 == " " || $0 == "\t" }).lowercased() == name else {
                continue
            }
            return String(pair[1])
        }
        return nil
    }

    /// The charset that a media type names, without quotes.
    package static func charset(of contentType: String) -> String? {
        parameter("charset", of: contentType)?.filter { $0 != "\"" }
    }

    private static func isMediaType(_ member: Substring.UTF8View) -> Bool {
        let words = member.prefix { $0 != UInt8(ascii: ";") }.split(whereSeparator: \.isBlank)
        guard words.count == 1, !words[0].elementsEqual("*/*".utf8) else { return false }
        let parts = words[0].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // Tokens, as names are.
        return parts.count == 2 && parts.allSatisfy { HTTPField.Name(String(Substring($0))) != nil }
    }
}

extension String {
    /// The parts between the separators that are in no quoted string (RFC 9110 §5.6.4).
    func splitOutsideQuotes(at separator: UInt8) -> [Substring.UTF8View] {
        var isQuoted = false
        var isEscaped = false
        return utf8.split { byte in
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
            return byte == separator && !isQuoted
        }
    }
}
