// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

extension TransportRequest {
    /// The names in the URL's query, decoded.
    var queryItemNames: Set<String> {
        guard let path = head.path, let mark = path.firstIndex(of: "?") else { return [] }
        return Set(path[path.index(after: mark)...].split(separator: "&").map(Self.name(of:)))
    }

    /// Appends an item to the URL's query, encoded once.
    mutating func addQueryItem(_ name: String, _ value: String) {
        let item = "\(PercentEncoding.encode(name))=\(PercentEncoding.encode(value))"
        let path = head.path ?? "/"
        let separator = !path.contains("?") ? "?" : path.hasSuffix("?") || path.hasSuffix("&") ? "" : "&"
        head.path = path + separator + item
    }

    mutating func removeQueryItems(named name: String) {
        guard queryItemNames.contains(name), let path = head.path, let mark = path.firstIndex(of: "?") else { return }
        let items = path[path.index(after: mark)...].split(separator: "&").filter { Self.name(of: $0) != name }
        head.path = path[..<mark] + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }

    private static func name(of item: Substring) -> String {
        String(decoding: PercentEncoding.decode(item.prefix { $0 != "=" }.utf8), as: UTF8.self)
    }
}
