// SPDX-License-Identifier: Apache-2.0

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
        var index = index
        while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
        let nameStart = index
        while index < bytes.count, isTokenByte(bytes[index]) { index += 1 }
        return index > nameStart && index < bytes.count && bytes[index] == UInt8(ascii: "=")
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func append(_ bytes: ArraySlice<UInt8>, to cookies: inout [String]) {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        if !bytes.isEmpty { cookies.append(String(decoding: bytes, as: UTF8.self)) }
    }
}
