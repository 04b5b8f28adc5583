// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

struct ModelDecodingTests {
    private func text(_ data: Data, _ fields: HTTPFields) throws -> String? {
        try ModelDecoding.model(ModelDecoding.whole(String.self, data, HTTPResponse(status: .ok, headerFields: fields)))
    }

    @Test(arguments: [
        "text/html; charset=iso-8859-1", "text/html;CHARSET= \"latin1\"", "text/html;x=\";charset=utf-8\";\tcharset=l1",
    ])
    func textIsInTheCharsetOfItsMediaType(type: String) throws {
        #expect(try text(Data([0xe9]), [.contentType: type]) == "é")
    }

    /// Encoding standard §4.2.
    @Test(arguments: [
        ("unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8", [0xc3, 0xa9]),
        (
            "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1"
                + " iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252", [0xe9]
        ),
        ("csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le", [0xe9, 0]),
        ("unicodefffe utf-16be", [0, 0xe9]),
    ])
    func aCharsetHasTheNamesOfTheStandard(labels: String, bytes: [UInt8]) throws {
        for label in labels.split(separator: " ") {
            #expect(try text(Data(bytes), [.contentType: "text/plain; charset=\(label)"]) == "é", "\(label)")
        }
    }

    @Test(arguments: ["text/html;charset =gbk", "text/html;x charset=gbk", "text/html;charset", "text/html"])
    func whatIsNoCharsetDoesNotCount(type: String) throws {
        #expect(try text(Data("é".utf8), [.contentType: type]) == "é")
    }

    @Test(arguments: [("s3cret", "the charset of the body is not known"), ("UTF-8", "utf8")])
    func anErrorShowsNothingOfTheField(label: String, expected: String) throws {
        let error = #expect(throws: NetworkClientError.self) {
            try text(Data([0xff]), [.contentType: "text/plain; charset=\(label)"])
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains(expected) == true)
        #expect(error?.message.contains(label) == false)
    }

    @Test func aMediaTypeThatIsThereTwiceIsOne() throws {
        let type = "text/plain; charset=utf-8"
        #expect(try text(Data("é".utf8), [.contentType: type, .contentType: type]) == "é")
        let fields: HTTPFields = [.contentType: "text/plain; charset=gbk", .contentType: "text/plain; charset=latin1"]
        #expect(try text(Data([0xe9]), fields) == "é")
    }
}
