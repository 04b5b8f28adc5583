// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

struct FieldReaderTests {
    private func reader(_ text: String) -> FieldReader { FieldReader(Array(text.utf8)) }

    @Test func readsFromLeftToRight() {
        var reader = reader(" \ta-b\r\n =c")
        #expect(!reader.isAtEnd && reader.peek() == UInt8(ascii: " "))
        #expect(reader.token() == nil && reader.position == 0)
        reader.skipBlanks()
        #expect(reader.position == 2)
        #expect(reader.token() == "a-b")
        reader.skipBlanks()
        #expect(reader.peek() == 0x0D)
        reader.skipWhitespace()
        #expect(!reader.consume(UInt8(ascii: "c")) && reader.consume(UInt8(ascii: "=")))
        #expect(Array(reader.read { $0 == UInt8(ascii: "c") }) == [UInt8(ascii: "c")])
        #expect(reader.isAtEnd && reader.peek() == nil && !reader.consume(UInt8(ascii: "c")))
        #expect(reader.token() == nil && reader.read { _ in true }.isEmpty)
    }

    /// RFC 9110 §5.6.4.
    @Test(
        arguments: [
            (#""""#, "", ""), (#""a b""#, "a b", "a b"), (#""a\"b\\c\d""#, #"a"b\cd"#, #"a"b\cd"#),
            (#""a"b""#, "a", "a"),
            ("\"a", "a", nil), ("\"a\\", "a\\", nil), ("\"a\\\"", "a\"", nil), ("\"", "", nil), ("a", nil, nil),
            ("", nil, nil),
        ] as [(String, String?, String?)])
    func aQuotedStringEndsWithItsQuote(text: String, cutOff: String?, whole: String?) {
        var (first, second) = (reader(text), reader(text))
        #expect(first.quotedString(mayBeCutOff: true).map { String(decoding: $0, as: UTF8.self) } == cutOff)
        #expect(second.quotedString(mayBeCutOff: false).map { String(decoding: $0, as: UTF8.self) } == whole)
        #expect(first.position == (text == #""a"b""# ? 3 : cutOff == nil ? 0 : text.utf8.count))
    }
}
