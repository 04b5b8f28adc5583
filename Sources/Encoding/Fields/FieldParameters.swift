// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The parameters of a field. If one is repeated, the first counts. An extended one, which names its charset
/// (`filename*=UTF-8''…`), wins over a plain `filename` (RFC 8187, RFC 6266 §4.3, RFC 8288 §3.4.1).
struct FieldParameters {
    private var plain: [String: String] = [:]
    private var extended: [String: String] = [:]

    var merged: [String: String] { plain.merging(extended) { $1 } }

    /// - Parameter name: in lower case.
    mutating func add(_ name: String, _ value: String) {
        if name.hasSuffix("*") {
            let base = String(name.dropLast())
            if extended[base] == nil, let decoded = Self.extendedValue(value) { extended[base] = decoded }
        } else if plain[name] == nil {
            plain[name] = value
        }
    }

    /// `UTF-8'en'%E2%82%AC` (RFC 8187 §3.2); `nil` for another charset or a broken escape.
    private static func extendedValue(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let charset = TextCharset(label: parts[0]) else { return nil }
        var bytes = Data()
        var rest = Array(parts[2].utf8)[...]
        while let byte = rest.first {
            if byte == UInt8(ascii: "%") {
                guard let value = PercentEncoding.escapedByte(rest) else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return charset.decode(bytes)
    }
}
