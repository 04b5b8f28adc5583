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
            add(name.asciiLowercased, value)
        }
    }

    private mutating func add(_ name: String, _ value: String?) {
        guard name == "no-cache" else {
            if values[name] == nil { values[name] = .some(value) }
            return
        }
        // What names no field is for the whole response, whatever else names some (§5.2.2.4).
        let names = value.flatMap { $0.utf8.allSatisfy { $0.isBlank || $0 == UInt8(ascii: ",") } ? nil : $0 }
        switch (values[name], names) {
        case (.some(.some(let earlier)), .some(let names)): values[name] = .some("\(earlier),\(names)")
        case (.some, _), (nil, nil): values[name] = .some(nil)
        case (nil, .some(let names)): values[name] = .some(names)
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
