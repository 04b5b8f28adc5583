// SPDX-License-Identifier: Apache-2.0

import StrataTool
import Testing

struct NestedKeyTests {
    @Test(
        arguments: [
            ("a", [.member("a")]),
            ("", [.member("")]),
            ("a[b]", [.member("a"), .member("b")]),
            ("a[]", [.member("a"), .append]),
            ("a[0][x][]", [.member("a"), .index(0), .member("x"), .append]),
            ("[]", [.append]),
            ("[a]", [.member("a")]),
            ("[2]", [.index(2)]),
            (#"a[\2]"#, [.member("a"), .member("2")]),
            (#"a\[b\]"#, [.member("a[b]")]),
            (#"a[\]]"#, [.member("a"), .member("]")]),
            ("a.b", [.member("a.b")]),
            (#"a\b"#, [.member(#"a\b"#)]),
            ("a[٣]", [.member("a"), .member("٣")]),
        ] as [(String, [NestedKey.Step])])
    func bracketsAreSteps(text: String, steps: [NestedKey.Step]) throws {
        #expect(try NestedKey(text).steps == steps)
    }

    @Test(arguments: [
        "a[", "a[b", "a]", "a[b]c", "a[99999999999999999999]", "a[[b]]", String(repeating: "[]", count: 101),
    ])
    func whatDoesNotCloseIsAnError(text: String) {
        #expect(throws: UsageError.self) { try NestedKey(text) }
    }
}
