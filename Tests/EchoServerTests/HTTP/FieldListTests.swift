// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EchoServer

struct FieldListTests {
    @Test func formsAreDecoded() {
        let list = FieldList(urlEncoded: "a=1&b=x+y%2B%20&c&=v&&d=%C3%A9&e=%FF&f=%zz&g=a=b")
        let expected: [(String, String)] = [
            ("a", "1"), ("b", "x y+ "), ("c", ""), ("", "v"), ("d", "é"), ("e", "\u{FFFD}"), ("f", "%zz"), ("g", "a=b"),
        ]
        #expect(list.fields == expected.map { .init(name: $0.0, value: $0.1) })
    }

    @Test func repeatedNamesBecomeLists() {
        #expect(FieldList(urlEncoded: "a=1&b=2&a=3").json == ["a": ["1", "3"], "b": "2"])
        #expect(FieldList().json == [:])
    }

    @Test func pairsKeepTheOrder() {
        #expect(FieldList(urlEncoded: "b=1&a=2&b=3").pairs == [["b", "1"], ["a", "2"], ["b", "3"]])
    }

    @Test func flagsAreOffWithoutAValueThatSaysSo() {
        #expect(FieldList(urlEncoded: "x").flag("x"))
        #expect(FieldList(urlEncoded: "x=1").flag("x"))
        #expect(!FieldList(urlEncoded: "x=0").flag("x"))
        #expect(!FieldList(urlEncoded: "x=False").flag("x"))
        #expect(!FieldList().flag("x"))
    }
}
