// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataMiddleware

/// Lists and dictionaries of RFC 9651.
struct StructuredListTests {
    private func values(_ text: String) -> [StructuredList.Value]? { StructuredList.items(of: text)?.map(\.value) }

    @Test(
        arguments: [
            ("", []), ("  ", []), ("1", [.integer(1)]), ("1,2", [.integer(1), .integer(2)]),
            ("1 \t,\t 2", [.integer(1), .integer(2)]), ("-1.5", [.decimal(-1.5)]),
            ("a, \"b, c\", ?1, ?0", [.text("a"), .text("b, c"), .boolean(true), .boolean(false)]),
            (":cHI=:, @17, %\"f%c3\"", [.other, .other, .other]), ("*a/b:c", [.text("*a/b:c")]),
            ("1,", nil), (",1", nil), ("1 2", nil), ("?2", nil), (":a", nil), ("\"a", nil), ("@a", nil), ("é", nil),
            ("(1 2)", nil),
        ] as [(String, [StructuredList.Value]?)])
    func readsLists(_ text: String, _ expected: [StructuredList.Value]?) {
        #expect(values(text) == expected)
    }

    @Test func readsParameters() {
        let items = StructuredList.items(of: "\"a\";q=1; w=\"x\";*k.-_1;last=?0, b;q=2;q=3")
        #expect(
            items?.map(\.parameters) == [
                ["q": .integer(1), "w": .text("x"), "*k.-_1": .boolean(true), "last": .boolean(false)],
                ["q": .integer(3)],
            ])
        for text in ["a;", "a;Q=1", "a;q=", "a;=1", "a;1=1"] {
            #expect(StructuredList.items(of: text) == nil, "\(text)")
        }
    }

    @Test func readsDictionaries() {
        let members = StructuredList.members(of: "a=1;x, b, c=\"t\";y=2, b=?0")
        #expect(members?.map(\.key) == ["a", "c", "b"])
        #expect(members?.map(\.value) == [.integer(1), .text("t"), .boolean(false)])
        #expect(members?.map(\.parameters) == [["x": .boolean(true)], ["y": .integer(2)], [:]])
        for text in ["A=1", "a=", "=1", "a=1,", "a=1 b=2"] {
            #expect(StructuredList.members(of: text) == nil, "\(text)")
        }
        let flags = StructuredList.members(of: "a, b;x=1")
        #expect(flags?.map(\.value) == [.boolean(true), .boolean(true)])
        #expect(flags?.map(\.parameters) == [[:], ["x": .integer(1)]])
        #expect(StructuredList.members(of: "")?.isEmpty == true)
    }
}
