// SPDX-License-Identifier: Apache-2.0

package import StrataCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A name and a text of a form or a query.
package struct ValueEntry: Hashable {
    package var name: String
    package var value: String
    /// Whether the commas in the value stand between the elements of a list.
    var isCommaList = false
    /// Whether the value is percent-encoded already.
    var isEncoded = false

    /// - Parameter isMember: whether the name came with the value and so is encoded too; a name of the caller's own may
    ///   be.
    func asEncoded(_ isEncoded: Bool, isMember: Bool) -> ValueEntry {
        guard isEncoded else { return self }
        var entry = self
        entry.isEncoded = true
        if !isMember { entry.name = PercentEncoding.encodeKeepingEscapes(name[...], allowed: .query) }
        return entry
    }

    package var queryItem: URLQueryItem { URLQueryItem(name: name, value: value) }
}

extension [ValueEntry] {
    /// As the query of a URL, without its `?`. Between the elements of a list a comma stands as it is (RFC 6570 §3.2.8).
    ///
    /// - Throws: `malformedURL` for what is said to be encoded and has a character that must be.
    package func queryText() throws -> String {
        var output: [UInt8] = []
        for entry in self {
            if !output.isEmpty { output.append(UInt8(ascii: "&")) }
            if entry.isEncoded {
                try EncodedText.check(entry.name, allowed: .query, what: "query name '\(entry.name)'")
                try EncodedText.check(entry.value, allowed: .query, what: "query value '\(entry.name)'")
                output.append(contentsOf: "\(entry.name)=\(entry.value)".utf8)
                continue
            }
            PercentEncoding.append(entry.name, allowed: .unreserved, to: &output)
            output.append(UInt8(ascii: "="))
            PercentEncoding.append(
                entry.value, allowed: entry.isCommaList ? .unreservedAndComma : .unreserved, to: &output)
        }
        return String(decoding: output, as: UTF8.self)
    }
}

extension PercentEncoding.Allowed {
    fileprivate static let unreservedAndComma = Self(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~,")
}

/// Text that the caller says is percent-encoded.
package enum EncodedText {
    package static func check(_ text: String, allowed: PercentEncoding.Allowed, what: String) throws {
        var rest = text[...].utf8
        while let byte = rest.first {
            guard allowed.contains(byte) || byte == UInt8(ascii: "%") && PercentEncoding.isEscape(rest) else {
                throw NetworkClientError(
                    .malformedURL, "the \(what) is said to be encoded, but has a character that must be")
            }
            rest = rest.dropFirst()
        }
    }
}
