// SPDX-License-Identifier: Apache-2.0

import Crypto
import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Who sends a request: its credentials, which are never kept themselves.
enum Identity {
    /// A hash of the request's secret fields, cookies aside; `nil` when it has none.
    static func of(_ head: HTTPRequest, options: RequestOptions) -> String? {
        var parts: [String]?
        for field in head.headerFields where field.name != .cookie && options.isSensitive(field.name) {
            parts = (parts ?? []) + ["\(field.name.canonicalName):\(credential(in: field))"]
        }
        return parts.map { digest($0.sorted().joined(separator: "\n")) }
    }

    /// Whether a response is for this request's user alone, so that it must not get into a file unasked.
    static func isPersonal(_ head: HTTPRequest, options: RequestOptions) -> Bool {
        if head.headerFields.contains(where: { options.isSensitive($0.name) }) { return true }
        guard let path = head.path, let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        return path.utf8[mark...].dropFirst().split(separator: UInt8(ascii: "&")).contains {
            options.isSecretQueryItem(PercentEncoding.itemName(Substring($0)))
        }
    }

    /// An answer to a digest challenge differs each time: it stands for its user and realm.
    private static func credential(in field: HTTPField) -> String {
        let value = field.value
        guard field.name == .authorization, value.prefix(7).asciiLowercased == "digest " else { return value }
        // It has the grammar of a challenge. One that cannot be read stands for itself alone.
        let answers = AuthenticationChallenge.parse(value)
        guard answers.count == 1, let parameters = answers.first?.parameters else { return value }
        let user = ["username", "username*", "userhash", "realm"].map { "\($0)=\(parameters[$0] ?? "")" }
        guard parameters["username"] != nil || parameters["username*"] != nil else { return value }
        // With their lengths, so that no two are written alike.
        return "digest " + user.map { "\($0.utf8.count):\($0)" }.joined()
    }

    static func digest(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).prefix(16).map(\.hexadecimal).joined()
    }
}
