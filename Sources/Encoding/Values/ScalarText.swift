// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The one text of a value, wherever text is sent: in a path, a query, a header field, a form, a part, a plain body.
enum ScalarText {
    /// `nil` for what encodes itself.
    ///
    /// - Throws: an `EncodingError` for what has no text: a file, a range, a date that no calendar has.
    static func text(_ value: some Encodable, _ options: FormOptions) throws -> String? {
        switch value {
        case let value as String: value
        case let value as Bool: boolText(value, options)
        case let value as any BinaryInteger & LosslessStringConvertible: value.description
        case let value as Double: JSONNumber.trimmed(value.description)
        case let value as Float: JSONNumber.trimmed(value.description)
        case let value as Decimal: value.description
        case let value as Date: try dateText(value, options)
        case let value as Data: dataText(value, options)
        case let value as URL: try urlText(value)
        case let value as UUID: value.uuidString
        case let value as Duration: DurationText.text(of: value)
        case let value as TimeZone: value.identifier
        case let value as Locale: value.identifier
        case let value as JSONValue: jsonText(value, options)
        default: nil
        }
    }

    /// - Throws: for a value that no place of a request has a notation for.
    static func refuse(_ value: Any) throws {
        if value is any RangeExpression {
            throw EncodingError.invalid("\(type(of: value))", "a range has no text: send its bounds as two values")
        }
    }

    /// The path of a file says nothing to a server, and much about this machine.
    static let fileHasNoText = "a file is sent as a whole body or in a multipart form, and its URL nowhere"

    private static func urlText(_ url: URL) throws -> String {
        // Not the URL itself, which a log of the error would show.
        if url.isFileURL { throw EncodingError.invalid("a file URL", fileHasNoText) }
        return url.absoluteString
    }

    private static func jsonText(_ value: JSONValue, _ options: FormOptions) -> String? {
        switch value {
        case .string(let text): text
        case .number(let number): number.literal
        case .bool(let value): boolText(value, options)
        case .null, .array, .object: nil
        }
    }

    static func boolText(_ value: Bool, _ options: FormOptions) -> String {
        switch options.bools.value {
        case .words: value ? "true" : "false"
        case .numbers: value ? "1" : "0"
        }
    }

    private static func dateText(_ date: Date, _ options: FormOptions) throws -> String {
        let text: String? =
            switch options.dates.value {
            case .iso8601: ISO8601.text(of: date)
            case .secondsSince1970: JSONNumber(date.timeIntervalSince1970)?.literal
            case .millisecondsSince1970: JSONNumber(milliseconds(date.timeIntervalSince1970))?.literal
            case .custom(let write, _): try write(date)
            }
        guard let text else {
            // Not the date itself: Foundation cannot describe one that is no number.
            throw EncodingError.invalid(date.timeIntervalSince1970, "no calendar has this date")
        }
        return text
    }

    /// The seconds as milliseconds. When the seconds were made of whole milliseconds, the result is that whole number,
    /// which the product may miss by a bit.
    private static func milliseconds(_ seconds: Double) -> Double {
        let product = seconds * 1000
        return product.rounded() / 1000 == seconds ? product.rounded() : product
    }

    private static func dataText(_ data: Data, _ options: FormOptions) -> String {
        switch options.data.value {
        case .base64: data.base64EncodedString()
        case .base64URL: Base64URL.encode(data)
        case .hexadecimal: data.map(\.hexadecimal).joined()
        }
    }
}

extension ScalarText {
    /// Whether the type is one of those that do not decode themselves, but are read by ``value(_:_:_:)``.
    static func isSpecial(_ type: any Any.Type) -> Bool {
        type == Decimal.self || type == Date.self || type == Data.self || type == URL.self || type == Bool.self
            || type == Duration.self || type == TimeZone.self || type == Locale.self
    }

    /// Whether values of the type are one piece of text, as far as a type can tell.
    static func isScalar(_ type: any Any.Type) -> Bool {
        if let optional = type as? any OptionalType.Type { return isScalar(optional.wrappedType) }
        if let raw = type as? any RawRepresentable.Type { return isPrimitive(rawValue(of: raw)) }
        return isPrimitive(type) || isSpecial(type) || type == UUID.self
    }

    /// Whether values of the type can be converted to text and back. They may encode themselves as that text, or
    /// otherwise.
    static func hasText(_ type: any Any.Type) -> Bool {
        if let optional = type as? any OptionalType.Type { return hasText(optional.wrappedType) }
        return type is any LosslessStringConvertible.Type
    }

    /// Whether the type is a primitive one, which encodes itself by asking the encoder to encode it: calling its
    /// `encode(to:)` would never end.
    static func isPrimitive(_ type: any Any.Type) -> Bool {
        type == String.self || type == Bool.self || type is any BinaryInteger.Type
            || type is any BinaryFloatingPoint.Type
    }

    private static func rawValue<Value: RawRepresentable>(of type: Value.Type) -> any Any.Type { Value.RawValue.self }

    /// `nil` when the text is not such a value.
    static func value<Value>(_ type: Value.Type, _ text: String, _ options: FormOptions) throws -> Value? {
        let value: Any? =
            switch type {
            case is Bool.Type: bool(text)
            case is Decimal.Type: decimal(text)
            case is Date.Type: try date(text, options)
            case is Data.Type: data(text, options)
            case is URL.Type: URL(string: text)
            case is Duration.Type: DurationText.duration(from: text)
            case is TimeZone.Type: TimeZone(identifier: text)
            case is Locale.Type: Locale(identifier: text)
            default: nil
            }
        return value as? Value
    }

    /// `Decimal(string:)` alone reads the number that a text begins with.
    private static func decimal(_ text: String) -> Decimal? {
        if text == Decimal.nan.description { return .nan }
        return JSONNumber(text) == nil ? nil : Decimal(string: text)
    }

    /// A finite number in decimal notation, or what ``text(_:_:)`` writes for infinities and NaN. Swift's initialiser
    /// would also read `0x1p4` and `Infinity`, and take `1e999` for infinity.
    static func number<Value: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Value.Type, _ text: String
    ) -> Value? {
        guard let value = Value(text) else { return nil }
        guard value.isFinite else { return value.description == text ? value : nil }
        return text.utf8.allSatisfy { $0.isDigit || "+-.eE".utf8.contains($0) } ? value : nil
    }

    private static func bool(_ text: String) -> Bool? {
        switch text {
        case "true", "1", "on", "yes": true
        case "false", "0", "off", "no": false
        default: nil
        }
    }

    private static func date(_ text: String, _ options: FormOptions) throws -> Date? {
        switch options.dates.value {
        case .iso8601: ISO8601.date(from: text)
        case .secondsSince1970: seconds(text).map { Date(timeIntervalSince1970: $0) }
        case .millisecondsSince1970: seconds(text).map { Date(timeIntervalSince1970: $0 / 1000) }
        case .custom(_, let read): try read(text)
        }
    }

    private static func seconds(_ text: String) -> Double? {
        number(Double.self, text).flatMap { $0.isFinite ? $0 : nil }
    }

    private static func data(_ text: String, _ options: FormOptions) -> Data? {
        switch options.data.value {
        case .base64: return Data(base64Encoded: text)
        case .base64URL: return Base64URL.decode(text)
        case .hexadecimal:
            let digits = text.utf8.compactMap(\.hexValue)
            guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
            return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
        }
    }
}
