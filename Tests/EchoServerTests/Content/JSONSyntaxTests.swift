// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EchoServer

struct JSONSyntaxTests {
    @Test(arguments: [
        "{}", "[1, 2.5e3, {\"a\": [null, true, \"x\"]}]", " \"s\" ", "-0", "12345678901234567890123", "null", "[]",
        #""\u00e9\ud83d\\\/""#, "1E+5", "0.5", String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
    ])
    func acceptsJSON(text: String) {
        #expect(JSONSyntax.isValid(Array(text.utf8)))
    }

    @Test func refusesBytesThatAreNoUTF8() {
        #expect(!JSONSyntax.isValid([0x22, 0xFF, 0x22]))
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\":}", "01", "tru", "\"", "{'a': 1}", "1 2", "[[1, 01]]", "1.", "-", "1e", "\"\\x\"",
        "\"\\u12g4\"", "\"\n\"", "{1: 2}", "{\"a\": 1,}",
        "{\"a\" 1}", "\u{FEFF}1", String(repeating: "[", count: 100_000),
    ])
    func refusesOtherText(text: String) {
        #expect(!JSONSyntax.isValid(Array(text.utf8)))
    }
}
