// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// What is written down of fields and URLs.
struct FieldMasks: Sendable {
    let redaction: Redaction
    let options: RequestOptions

    func url(of head: HTTPRequest) -> String {
        redaction.wholeURL(head.withoutUserInformation.absoluteURL, options: options)
    }

    /// For an error, of an entry that may be from a browser.
    static func url(_ text: String) -> String { Redaction.standard.wholeURL(text, options: nil) }

    func text(_ text: String) -> String { redaction.url(text, options: options) }

    /// Cookies keep their names, so that a replay sets and sends them again.
    func value(of field: HTTPField) -> String {
        switch field.name {
        case .setCookie: setCookie(field.value)
        case .cookie: field.value.split(separator: ";").map(maskedPair).joined(separator: "; ")
        default: redaction.value(of: field, options: options)
        }
    }

    /// Only the attributes of RFC 6265bis are kept: another may hold a secret.
    private static let attributes: Set<String> = [
        "domain", "expires", "httponly", "max-age", "partitioned", "path", "priority", "samesite", "secure",
    ]

    private func setCookie(_ value: String) -> String {
        let parts = value.split(separator: ";")
        guard let pair = parts.first else { return redaction.replacement }
        let attributes = parts.dropFirst().compactMap { part -> String? in
            let attribute = Substring(part.utf8.trimmingBlanks)
            return Self.attributes.contains(attribute.prefix { $0 != "=" }.lowercased()) ? text(String(attribute)) : nil
        }
        return ([maskedPair(pair)] + attributes).joined(separator: "; ")
    }

    private func maskedPair(_ pair: Substring) -> String {
        let pair = Substring(pair.utf8.trimmingBlanks)
        // Without a name all of it is the value (RFC 6265bis §5.7).
        guard let equals = pair.firstIndex(of: "="), equals != pair.startIndex else { return redaction.replacement }
        return "\(text(String(pair[..<equals])))=\(redaction.replacement)"
    }
}
