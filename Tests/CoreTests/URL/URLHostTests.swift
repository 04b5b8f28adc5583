// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

struct URLHostTests {
    private func host(_ text: String) -> String? { (try? URLAuthority(text))?.host }

    /// RFC 5952 §4: the longest run of zeros, the first of equals, and never a single one.
    @Test(arguments: [
        ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("0:0:0:0:0:0:0:0", "::"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:0:0:2:0:0:3:4", "1::2:0:0:3:4"),
        ("1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"), ("0:0:3:4:5:6:7:8", "::3:4:5:6:7:8"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("0001:00AB::", "1:ab::"), ("::1.2.3.4", "::102:304"),
        ("1:2:3:4:5:6:255.0.0.1", "1:2:3:4:5:6:ff00:1"), ("::0.0.0.0", "::"), ("fe80::1%25eth0", "fe80::1%25eth0"),
    ])
    func anIPv6AddressHasOneText(text: String, expected: String) {
        #expect(host("[\(text)]") == "[\(expected)]")
    }

    @Test(arguments: [
        "", ":", ":1", "1:", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1::", ":::", "12345::",
        "::g",
        "::1.2.3", "::1.2.3.4.5", "::01.2.3.4", "::256.1.1.1", "::1.2.3.4:5", "1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4",
        "::-1",
        "::1.2.3.0x4", "::1%eth0", "::1%25", "::1%25a/b", "::1%25%41", "::1 ",
    ])
    func whatIsNoIPv6AddressIsRefused(text: String) {
        #expect(host("[\(text)]") == nil)
    }

    @Test(arguments: [
        ("0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("1.2.65535", "1.2.255.255"),
        ("1.16777215", "1.255.255.255"), ("4294967295", "255.255.255.255"), ("1.2.3.4.", "1.2.3.4"),
        ("0x.0x.0", "0.0.0.0"),
        ("017.0.0.1", "15.0.0.1"), ("0xFF.1", "255.0.0.1"), ("1.2.3.a", "1.2.3.a"), ("1.2.3.0xg", "1.2.3.0xg"),
        ("1.2.3.4a", "1.2.3.4a"), ("a.1.b", "a.1.b"),
    ])
    func anAddressOfNumbersIsReadAsResolversDo(text: String, expected: String) {
        #expect(host(text) == expected)
    }

    @Test(arguments: [
        "256.1.1.1", "1.256.1.1", "1.2.3.256", "1.2.65536", "1.16777216", "4294967296", "1.2.3.4.5", "08", "1.2.3.09",
        "a.1", "1..2", "0x100000000", "18446744073709551616", ".1",
    ])
    func aNameThatEndsInANumberIsNone(text: String) {
        #expect(host(text) == nil)
    }

    /// The URL standard's forbidden domain code points, and what a port and user information begin with.
    @Test func eachCharacterMayStandInAHostOrNot() {
        let forbidden = Set("#/:<>?@[\\]^|% ".utf8)
        for byte in UInt8(0)..<0x80 {
            let digits = String(byte, radix: 16)
            let escape = "%" + (digits.count == 1 ? "0" : "") + digits
            let isAllowed = byte > 0x20 && byte != 0x7F && !forbidden.contains(byte)
            let expected = "a" + String(UnicodeScalar(byte)).lowercased() + "b"
            #expect(host("a\(escape)b") == (isAllowed ? expected : nil), "\(escape)")
        }
        #expect(host("a%FFb") == nil && host("a%b") == nil)
    }

    @Test(
        arguments: [
            ("h", nil, "h", nil), ("H:8080", nil, "h", 8080), ("u@h", "u", "h", nil), ("u:p@h:1", "u:p", "h", 1),
            ("a@b@h", "a@b", "h", nil), ("@h", "", "h", nil), ("h:", nil, "h", nil), ("[::1]:0", nil, "[::1]", 0),
            ("u@[::1]", "u", "[::1]", nil), ("h:65535", nil, "h", 65535),
        ] as [(String, String?, String, Int?)])
    func anAuthorityHasThreeParts(text: String, userinfo: String?, host: String, port: Int?) throws {
        let authority = try URLAuthority(text)
        #expect(authority.userinfo == userinfo && authority.host == host && authority.port == port)
    }

    @Test(arguments: [
        ("h", "https", "h"), ("h:443", "https", "h"), ("h:443", "http", "h:443"), ("h:80", "http", "h"),
        ("h:80", "https", "h:80"), ("h:443", "wss", "h"), ("h:80", "ws", "h"), ("h:0", "x", "h"), ("h:1", "x", "h:1"),
    ])
    func theUsualPortIsLeftOut(text: String, scheme: String, expected: String) throws {
        #expect(try URLAuthority(text).text(scheme: scheme) == expected)
    }

    @Test(arguments: ["", ":1", "u@", "h:x", "h:65536", "h:-1", "[::1", "[::1]x", "[::1]x:1", "h:1:2", "::1"])
    func whatIsNoAuthorityIsRefused(text: String) {
        let error = #expect(throws: NetworkClientError.self) { try URLAuthority(text) }
        #expect(error?.code == .malformedURL)
    }

    @Test(arguments: [
        ("http://h", true), ("HTTPS://h", true), ("hTTp://", true), ("http:/h", false), ("httpx://h", false),
        ("h", false),
        ("ftp://h", false), ("", false), ("/http://h", false), ("https:/", false),
    ])
    func aCompleteURLIsKnownByItsBeginning(text: String, isAbsolute: Bool) {
        #expect(RequestURL.isAbsolute(text) == isAbsolute)
    }
}
