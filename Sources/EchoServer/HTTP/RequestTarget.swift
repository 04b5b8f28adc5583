// SPDX-License-Identifier: Apache-2.0

/// The request target as it was sent, and its parts.
struct RequestTarget: Sendable, Equatable {
    /// Exactly what stood in the request line or in `:path`.
    let raw: String
    /// The path, still percent-encoded. Begins with `/`, or is `*`.
    let path: String
    /// What follows the first `?`, still encoded; `nil` without one.
    let query: String?

    init(_ raw: String) {
        self.raw = raw
        var rest = Substring(raw)
        if let scheme = rest.firstRange(of: "://"), !rest.hasPrefix("/") {
            // Absolute form (RFC 9112 §3.2.2), which a client sends to a proxy.
            rest = rest[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
        }
        let halves = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = halves.first.map(String.init) ?? ""
        self.path = path.isEmpty ? "/" : path
        query = halves.count > 1 ? String(halves[1]) : nil
    }

    /// The decoded segments of the path. Empty segments count: `/get/` has two.
    var segments: [String] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { PercentEncoding.decode($0) }
    }

    /// Path and query, without scheme and authority.
    var origin: String { query.map { "\(path)?\($0)" } ?? path }

    var arguments: FieldList { FieldList(urlEncoded: query ?? "") }
}
