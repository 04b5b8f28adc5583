// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EchoServer

struct JSONValueTests {
    @Test func prettyTextIsThatOfHttpbin() {
        let value: JSONValue = ["b": ["x", 1, true, nil], "a": [:], "c": [], "d": ["k": "v"]]
        #expect(
            value.pretty == """
                {
                  "a": {},
                  "b": [
                    "x",
                    1,
                    true,
                    null
                  ],
                  "c": [],
                  "d": {
                    "k": "v"
                  }
                }

                """)
    }

    @Test func compactTextHasNoSpaces() {
        #expect((["b": [1, 2], "a": "x"] as JSONValue).compact == #"{"a":"x","b":[1,2]}"#)
    }

    @Test func stringsAreEscaped() {
        #expect(
            JSONValue.string("\"\\\n\r\t\u{1}\u{1F}é\u{2028}/👩‍👧").compact == #""\"\\\n\r\t\u0001\u001f"#
                + "é\u{2028}/👩‍👧\"")
    }

    @Test func verbatimTextKeepsItsDigits() {
        #expect((["n": .verbatim("12345678901234567890.10")] as JSONValue).compact == #"{"n":12345678901234567890.10}"#)
    }
}
