// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataEncoding
import StrataTool
import Testing

struct JSONFormatTests {
    private func format(_ text: String, indents: Bool = true, colors: Bool = false) -> String? {
        JSONFormat(isIndented: indents, palette: Palette(isOn: colors)).format(Data(text.utf8))
    }

    @Test(arguments: [
        ("{}", "{}"),
        ("[ ]", "[]"),
        (" 1 ", "1"),
        ("\"a\"", "\"a\""),
        (
            #"{"b":1,"a":[1, 2.50],"b":{ }}"#,
            "{\n    \"b\": 1,\n    \"a\": [\n        1,\n        2.50\n    ],\n    \"b\": {}\n}"
        ),
        (#"{"a:b" : "c,d{}[]\"\\"}"#, "{\n    \"a:b\": \"c,d{}[]\\\"\\\\\"\n}"),
        ("[[],[[]],null,true,-1e+9]", "[\n    [],\n    [\n        []\n    ],\n    null,\n    true,\n    -1e+9\n]"),
    ])
    func aTextIsIndentedAndOtherwiseAsItCame(text: String, formatted: String) {
        #expect(format(text) == formatted)
    }

    @Test(arguments: ["", "{", "nope", "{\"a\":}", "[1,]", "1 2", "<html>"])
    func whatIsNoJSONHasNoFormat(text: String) { #expect(format(text) == nil) }

    @Test func coloursAreOfTheTokens() {
        #expect(
            format(#"{"a": ["b", 1, null]}"#, indents: false, colors: true)
                == "{\u{1B}[94m\"a\"\u{1B}[0m: [\u{1B}[32m\"b\"\u{1B}[0m, \u{1B}[36m1\u{1B}[0m, \u{1B}[35mnull\u{1B}[0m]}"
        )
    }

    @Test func whatIsFormattedIsTheSameJSON() throws {
        let text = #"{"a":[{"b":[[],{},"x\u0041\n",1.0e5]},true],"c":"\"[{,:"}"#
        for indents in [true, false] {
            let formatted = try #require(format(text, indents: indents))
            #expect(try JSONValue(parsing: formatted) == JSONValue(parsing: text))
        }
    }

    @Test func aStringDoesNotSteerTheTerminal() {
        #expect(format("[\"a\u{9B}31m\u{7F}\"]", indents: false) == "[\"a\\u{9b}31m\\u{7f}\"]")
    }
}
