// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Writes JSON, member by member.
struct HARWriter {
    /// By which ``Cassette`` knows our own files.
    static let creator = "Strata"

    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func object(_ name: String? = nil, _ content: (inout HARWriter) -> Void) { group("{", "}", name, content) }
    mutating func array(_ name: String, _ content: (inout HARWriter) -> Void) { group("[", "]", name, content) }
    /// An array within an array.
    mutating func element(_ content: (inout HARWriter) -> Void) { group("[", "]", nil, content) }

    mutating func member(_ name: String, _ text: String) {
        begin(name)
        append(text)
    }

    mutating func member(_ name: String, _ number: some BinaryInteger) {
        begin(name)
        bytes += String(number).utf8
    }

    mutating func member(_ name: String, _ flag: Bool) {
        begin(name)
        bytes += (flag ? "true" : "false").utf8
    }

    mutating func member(_ name: String, _ time: Duration) {
        begin(name)
        bytes += Self.milliseconds(time).utf8
    }

    /// Since 1970, to the microsecond.
    mutating func memberInSeconds(_ name: String, _ time: Duration) {
        begin(name)
        let microseconds = Int64(max(time, .zero) / .microseconds(1))
        bytes += "\(microseconds / 1_000_000).\(String(microseconds % 1_000_000 + 1_000_000).dropFirst())".utf8
    }

    mutating func value(_ time: Duration) {
        begin(nil)
        bytes += Self.milliseconds(time).utf8
    }

    mutating func value(_ number: Int) {
        begin(nil)
        bytes += String(number).utf8
    }

    private mutating func group(
        _ open: StaticString, _ close: StaticString, _ name: String?, _ content: (inout HARWriter) -> Void
    ) {
        begin(name)
        open.withUTF8Buffer { bytes += $0 }
        needsComma = false
        content(&self)
        close.withUTF8Buffer { bytes += $0 }
        needsComma = true
    }

    private mutating func begin(_ name: String?) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        guard let name else { return }
        append(name)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func append(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        JSONEscapes.append(text, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// To the microsecond.
    private static func milliseconds(_ time: Duration) -> String {
        let microseconds = Int64(max(time, .zero) / .microseconds(1))
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1000)
        if rest == 0 { return String(whole) }
        return "\(whole).\(String(rest + 1000).dropFirst())"
    }
}
