// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

extension TransportRequest {
    /// The names in the URL's query, decoded.
    var queryItemNames: Set<ExactText> {
        guard let path = head.path, let mark = path.firstIndex(of: "?") else { return [] }
        let items = path[path.index(after: mark)...].split(separator: "&")
        return Set(items.map { ExactText(PercentEncoding.itemName($0)) })
    }

    /// Appends an item to the URL's query, encoded once.
    mutating func addQueryItem(_ name: String, _ value: String) {
        let item = "\(PercentEncoding.encode(name))=\(PercentEncoding.encode(value))"
        let path = head.path ?? "/"
        let separator = !path.contains("?") ? "?" : path.hasSuffix("?") || path.hasSuffix("&") ? "" : "&"
        head.path = path + separator + item
    }

    mutating func removeQueryItems(named name: String) {
        guard queryItemNames.contains(ExactText(name)), let path = head.path, let mark = path.firstIndex(of: "?")
        else { return }
        let items = path[path.index(after: mark)...].split(separator: "&")
            .filter { ExactText(PercentEncoding.itemName($0)) != ExactText(name) }
        head.path = path[..<mark] + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }
}
