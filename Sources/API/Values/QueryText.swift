// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The query of a call, percent-encoded as it grows.
struct QueryText {
    private var text = ""

    /// - Parameter isEncoded: names and values are percent-encoded already, and go in as they are.
    mutating func append(_ items: [URLQueryItem], isEncoded: Bool) throws {
        for item in items {
            guard let value = item.value else { continue }
            if isEncoded {
                try EncodedText.check(item.name, allowed: .query, what: "query name '\(item.name)'")
                try EncodedText.check(value, allowed: .query, what: "query value '\(item.name)'")
            }
            if !text.isEmpty { text += "&" }
            text += isEncoded ? "\(item.name)=\(value)" : QueryEncoder.string(of: [item])
        }
    }

    /// What the path brings of a query stays in front.
    func appended(to path: String) -> String {
        if text.isEmpty { return path }
        guard let mark = path.firstIndex(of: "?") else { return "\(path)?\(text)" }
        let isOpen = path.index(after: mark) == path.endIndex || path.last == "&"
        return isOpen ? path + text : "\(path)&\(text)"
    }
}
