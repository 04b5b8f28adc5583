// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the value of a `Set-Cookie` field says (RFC 6265bis §5.6).
struct SetCookie: Equatable {
    var name: [UInt8]
    var value: [UInt8]
    /// Without the dot in front, in lower case. Empty when the attribute is a dot alone.
    var domain: String?
    /// `nil` when the last attribute of the name is not an absolute path.
    var path: String?
    /// As it stands there; not limited.
    var expires: Date?
    /// In seconds.
    var maxAge: Int64?
    var isSecure = false
    var isHTTPOnly = false
    var sameSite: Cookie.SameSite?

    /// The most bytes of name and value together, and of the value of an attribute.
    static let longestPair = 4096
    static let longestAttribute = 1024

    /// `nil` for what sets no cookie: control characters, neither a name nor a value, or too long.
    init?(_ field: [UInt8]) {
        guard !field.contains(where: { $0.isControl && $0 != 0x09 }) else { return nil }
        let parts = field.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let pair = parts.first ?? []
        if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
            name = Array(pair[..<equals].trimmingBlanks)
            value = Array(pair[(equals + 1)...].trimmingBlanks)
        } else {
            name = []
            value = Array(pair.trimmingBlanks)
        }
        let length = name.count + value.count
        guard length > 0, length <= Self.longestPair else { return nil }
        for part in parts.dropFirst() {
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let attribute = String(decoding: part[..<equals].trimmingBlanks, as: UTF8.self).asciiLowercased
            let value = part[equals...].dropFirst().trimmingBlanks
            guard value.count <= Self.longestAttribute else { continue }
            read(attribute, value)
        }
    }

    private mutating func read(_ attribute: String, _ value: ArraySlice<UInt8>) {
        switch attribute {
        case "expires": expires = CookieDate.parse(value) ?? expires
        case "max-age": maxAge = Self.seconds(value) ?? maxAge
        case "domain":
            // RFC 6265 §5.2.3: an empty one is ignored.
            guard !value.isEmpty else { return }
            let name = value.first == UInt8(ascii: ".") ? value.dropFirst() : value
            domain = String(decoding: name, as: UTF8.self).asciiLowercased
        case "path": path = value.first == UInt8(ascii: "/") ? String(decoding: value, as: UTF8.self) : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite": sameSite = Self.sameSite(value)
        default: break
        }
    }

    /// Digits, with a minus in front perhaps; limited to what an `Int64` holds.
    private static func seconds(_ value: ArraySlice<UInt8>) -> Int64? {
        let isNegative = value.first == UInt8(ascii: "-")
        let digits = isNegative ? value.dropFirst() : value
        // RFC 6265bis §5.6.2 accepts the minus alone: it is no number, and is ignored here.
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        let number = Int64(String(decoding: digits, as: UTF8.self)) ?? .max
        return isNegative ? -number : number
    }

    private static func sameSite(_ value: ArraySlice<UInt8>) -> Cookie.SameSite? {
        switch String(decoding: value, as: UTF8.self).asciiLowercased {
        case "strict": .strict
        case "lax": .lax
        case "none": Cookie.SameSite.none
        default: nil
        }
    }
}
