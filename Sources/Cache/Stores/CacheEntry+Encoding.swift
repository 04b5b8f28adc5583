// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension CacheEntry {
    /// All but the body, as bytes, for stores that keep entries outside of memory. Only this package reads them; entries of
    /// another version of the format count as none. `Set-Cookie` is left out: cookies are secrets, and were set when the
    /// response came.
    public var encoded: Data {
        var writer = EntryWriter()
        writer.write(Self.format)
        writer.write(UInt64(head.status.code))
        writer.write(head.status.reasonPhrase)
        writer.write(requestTime.timeIntervalSince1970.bitPattern)
        writer.write(responseTime.timeIntervalSince1970.bitPattern)
        writer.write(isPersonal ? 1 : 0)
        writer.write(UInt64(variation.values.count))
        for (name, value) in variation.values {
            writer.write(name)
            writer.write(value == nil ? 0 : 1)
            writer.write(value ?? "")
        }
        let fields = head.headerFields.filter { $0.name != .setCookie }
        writer.write(UInt64(fields.count))
        for field in fields {
            writer.write(field.name.rawName)
            field.withUnsafeBytesOfValue { writer.write(bytes: $0) }
        }
        return writer.data
    }

    /// `nil` when the bytes are damaged, or of another version.
    public init?(encoded: Data, body: CacheBody) {
        var reader = EntryReader(rest: encoded[...])
        guard reader.number() == Self.format, let code = reader.number(), code <= 999, let phrase = reader.text(),
            let requested = reader.date(), let responded = reader.date(), let personal = reader.number(),
            let varying = reader.number()
        else { return nil }
        var values: [(name: String, value: String?)] = []
        for _ in 0..<min(varying, 1000) {
            guard let name = reader.text(), let isThere = reader.number(), let value = reader.text() else { return nil }
            values.append((name, isThere == 1 ? value : nil))
        }
        guard let count = reader.number() else { return nil }
        var fields: HTTPFields = [:]
        for _ in 0..<min(count, 10_000) {
            guard let name = reader.text().flatMap({ HTTPField.Name($0) }), let value = reader.bytes() else {
                return nil
            }
            fields.append(HTTPField(name: name, value: Array(value)))
        }
        guard reader.rest.isEmpty else { return nil }
        let head = HTTPResponse(status: .init(code: Int(code), reasonPhrase: phrase), headerFields: fields)
        self.init(
            head: head, body: body,
            requestTime: requested, responseTime: responded, variation: Variation(values: values),
            isPersonal: personal == 1)
    }

    /// The number of the format; another one for each change.
    private static let format: UInt64 = 1
}

private struct EntryWriter {
    var data = Data()

    mutating func write(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }

    mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { write(bytes: $0) }
    }

    mutating func write(bytes: UnsafeBufferPointer<UInt8>) {
        write(UInt64(bytes.count))
        data.append(contentsOf: bytes)
    }
}

/// Takes values from the front; `nil` when there are too few bytes.
private struct EntryReader {
    var rest: Data

    mutating func number() -> UInt64? {
        guard rest.count >= 8 else { return nil }
        let number = rest.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        rest = rest.dropFirst(8)
        return UInt64(littleEndian: number)
    }

    /// A moment that can be counted with; damaged bytes may be any number, or none.
    mutating func date() -> Date? {
        guard let seconds = number().map({ Double(bitPattern: $0) }), seconds.magnitude < 1e12 else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    mutating func bytes() -> Data? {
        guard let count = number(), count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    mutating func text() -> String? { bytes().flatMap { String(validating: $0, as: UTF8.self) } }
}
