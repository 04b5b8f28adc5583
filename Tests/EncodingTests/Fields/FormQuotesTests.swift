// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataEncoding
import Testing

/// Names in the heads of a form's parts (HTML §4.10.21.8).
struct FormQuotesTests {
    @Test(
        arguments: [
            (#"name="a""#, "a", nil), (#"name="""#, "", nil), (#"name="a"; filename="b""#, "a", "b"),
            (#"name="a;b"; filename="c""#, "a;b", "c"), (#"name=a; filename=b"#, "a", "b"),
            (#"name="a"b"; filename="c""#, "a", "c"), (#"name="a" ; filename="c""#, "a", "c"),
            (#"name="a\"b"; filename="c""#, #"a"b"#, "c"), (#"name="a\b\\c""#, #"a\b\\c"#, nil),
            (#"name="a\"; filename="c""#, #"a\"#, "c"), (#"name="a\\"; filename="c""#, #"a\\"#, "c"),
            (#"name="a\"b\"c"; filename="d""#, #"a"b"c"#, "d"), (#"name="\""; filename="d""#, #"""#, "d"),
            (#"name="a\";b"; filename="d""#, #"a";b"#, "d"), (#"name="\"#, #"\"#, nil),
            (#"name="abc"#, "abc", nil), (#"name="abc\"#, #"abc\"#, nil), (#"name=""#, "", nil),
            (#"name="a%22b%0D%0A%0d%0ac""#, "a\"b\r\n\r\nc", nil), (#"name="a%20%2%41%25""#, "a%20%2%41%25", nil),
            (#"name="%22""#, #"""#, nil), (#"name="%2""#, "%2", nil), (#"name="%""#, "%", nil),
        ] as [(String, String, String?)])
    func quotesCloseWhereTheValueEnds(_ parameters: String, _ name: String, _ filename: String?) throws {
        let body = "--B\r\nContent-Disposition: form-data; \(parameters)\r\n\r\n\r\n--B--"
        let part = try #require(try MultipartDecoder().parts(in: Data(body.utf8), boundary: "B").first)
        #expect(part.name == name && part.filename == filename)
        #expect(part.disposition?.type == "form-data")
    }

    /// What is read of a part's head.
    @Test func aPartTellsItsTypeAndItsName() throws {
        let body =
            "--B\r\nContent-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b\r\n"
            + "Content-Type: text/plain;charset=x\r\n\r\n333\r\n--B\r\nX-Y:z\r\n\r\n22\r\n--B--"
        let parts = try MultipartDecoder().parts(in: Data(body.utf8), boundary: "B")
        #expect(parts.map(\.name) == ["a", nil] && parts.map(\.filename) == [nil, nil])
        #expect(parts.map { $0.contentType?.charset } == ["x", nil])
        #expect(parts.map(\.description) == ["a (3 bytes)", "(2 bytes)"])
    }
}
