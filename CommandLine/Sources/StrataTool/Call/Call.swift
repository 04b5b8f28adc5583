// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore

/// A call as a command line describes it, be it ours or curl's: what is sent, and how.
package struct Call {
    /// `nil`: GET, or POST with a body.
    package var method: String?
    /// With its scheme.
    package var url = ""
    package var query: [URLQueryItem] = []
    package var fields: [CallField] = []
    package var body = CallBody.none
    package var credentials = CallCredentials.none

    package var followsRedirects = false
    package var maximumRedirects = 20
    package var preservesPOST = false
    package var attempts = 1
    package var timeouts = Timeouts()
    package var httpVersion = HTTPVersionPolicy.automatic
    package var decodesContent = true
    package var connection = ConnectionSettings()

    package init() {}

    package var effectiveMethod: String {
        if let method { return method }
        if case .none = body { return "GET" }
        return "POST"
    }

    /// The URL with the query items at its end.
    package var urlWithQuery: String {
        guard !query.isEmpty else { return url }
        let fragment = url.firstIndex(of: "#") ?? url.endIndex
        let base = url[..<fragment]
        let separator = base.contains("?") ? (base.hasSuffix("?") || base.hasSuffix("&") ? "" : "&") : "?"
        return base + separator + Self.encoded(query)
    }

    private static func encoded(_ items: [URLQueryItem]) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/:@!$'()*,;?")
        func word(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text }
        return items.map { item in item.value.map { "\(word(item.name))=\(word($0))" } ?? word(item.name) }
            .joined(separator: "&")
    }
}
