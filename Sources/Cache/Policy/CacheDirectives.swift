// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// The directives of `Cache-Control` (RFC 9111 §5.2), over all fields of the name.
struct CacheDirectives: Sendable {
    /// What was said first counts, by names in lower case (§4.2.1). A directive without a value has `nil`.
    private var values: [String: String?] = [:]

    init(_ fields: HTTPFields) {
        for field in fields where field.name == .cacheControl {
            field.withUnsafeBytesOfValue { read(FieldReader(Array($0))) }
        }
    }

    private mutating func read(_ field: FieldReader) {
        var reader = field
        while !reader.isAtEnd {
            _ = reader.read { $0.isBlank || $0 == UInt8(ascii: ",") }
            guard let name = reader.token() else {
                skipDirective(&reader)
                continue
            }
            var value: String?
            if reader.consume(UInt8(ascii: "=")) {
                if let quoted = reader.quotedString(mayBeCutOff: true) {
                    value = String(decoding: quoted, as: UTF8.self)
                } else {
                    let bare = reader.read { $0 != UInt8(ascii: ",") }
                    value = String(decoding: bare.trimmingBlanks, as: UTF8.self)
                }
            }
            skipDirective(&reader)
            let key = name.asciiLowercased
            if values[key] == nil { values[key] = .some(value) }
        }
    }

    /// To the next comma outside of quotes.
    private func skipDirective(_ reader: inout FieldReader) {
        while let byte = reader.peek(), byte != UInt8(ascii: ",") {
            if reader.quotedString(mayBeCutOff: true) == nil { reader.position += 1 }
        }
    }

    var isEmpty: Bool { values.isEmpty }

    func has(_ name: String) -> Bool { values[name] != nil }

    func value(of name: String) -> String? { values[name] ?? nil }

    /// The seconds of a directive: `nil` when it is not there, zero when its value is no number, so that what is malformed makes
    /// nothing fresh (§4.2.1).
    func seconds(_ name: String) -> Double? {
        guard has(name) else { return nil }
        return Self.seconds(value(of: name) ?? "") ?? 0
    }

    /// A number of seconds (§1.2.2): digits alone; what is larger than 2^31 counts as that.
    static func seconds(_ text: String) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return min(Double(UInt64(text) ?? .max), 2_147_483_648)
    }
}
