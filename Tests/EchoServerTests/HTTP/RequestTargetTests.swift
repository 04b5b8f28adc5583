// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EchoServer

struct RequestTargetTests {
    @Test(arguments: [
        ("/a?b=1", "/a", "b=1"), ("/a?", "/a", ""), ("/", "/", nil), ("/a?b?c", "/a", "b?c"), ("", "/", nil),
        ("*", "*", nil), ("/x?u=http://y/z", "/x", "u=http://y/z"), ("/http://a/b", "/http://a/b", nil),
    ])
    func originFormIsSplitAtTheFirstQuestionMark(raw: String, path: String, query: String?) {
        let target = RequestTarget(raw)
        #expect((target.raw, target.path, target.query) == (raw, path, query))
    }

    @Test(arguments: [
        ("http://h:1/a?b", "/a", "b"), ("http://h", "/", nil), ("http://h?q", "/", "q"), ("https://h/", "/", nil),
    ])
    func absoluteFormLosesItsAuthority(raw: String, path: String, query: String?) {
        let target = RequestTarget(raw)
        #expect((target.path, target.query) == (path, query))
    }

    @Test func segmentsAreDecodedAndEmptyOnesCount() {
        #expect(RequestTarget("/a//b%2Fc/").segments == ["a", "", "b/c", ""])
        #expect(RequestTarget("/%zz%4").segments == ["%zz%4"])
    }
}
