// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// The value of `Content-Range` for bytes (RFC 9110 §14.4).
struct ContentRange: Equatable {
    /// `nil` in `bytes */1234`, which comes with 416.
    var range: ClosedRange<Int64>?
    /// `nil` where the server does not know: `bytes 0-99/*`.
    var total: Int64?

    init?(_ value: String?) {
        guard let value, value.prefix(6).lowercased() == "bytes " else { return nil }
        let parts = value.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] != "*" {
            guard let total = Self.number(parts[1]) else { return nil }
            self.total = total
        }
        if parts[0] == "*" {
            guard total != nil else { return nil }
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last else {
            return nil
        }
        if let total, last >= total { return nil }
        range = first...last
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(text)
    }
}
