// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Takes apart what a backend has joined: several `Set-Cookie` fields in one text, with commas between.
///
/// A comma begins a new cookie when a token and `=` follow it (RFC 6265 §4.1.1); the comma in `Expires=Wed, 21 Oct …` and one
/// in quotes do not.
enum SetCookieList {
    static func split(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        var cookies: [String] = []
        var start = 0
        var index = 0
        var isQuoted = false
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ";"): isQuoted = false
            case UInt8(ascii: ",") where !isQuoted && beginsCookie(bytes, after: index + 1):
                append(bytes[start..<index], to: &cookies)
                start = index + 1
            default: break
            }
            index += 1
        }
        append(bytes[start...], to: &cookies)
        return cookies
    }

    private static func beginsCookie(_ bytes: [UInt8], after index: Int) -> Bool {
        var reader = FieldReader(bytes)
        reader.position = index
        reader.skipBlanks()
        return reader.token() != nil && reader.consume(UInt8(ascii: "="))
    }

    private static func append(_ bytes: ArraySlice<UInt8>, to cookies: inout [String]) {
        let bytes = bytes.trimmingBlanks
        if !bytes.isEmpty { cookies.append(String(decoding: bytes, as: UTF8.self)) }
    }
}
