// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EchoServer

struct PathPatternTests {
    private func match(_ pattern: String, _ path: String) -> [String: String]? {
        PathPattern(pattern).match(RequestTarget(path).segments)
    }

    @Test func literalsMatchWhole() {
        #expect(match("/get", "/get") == [:])
        #expect(match("/get", "/gets") == nil)
        #expect(match("/get", "/get/") == nil)
        #expect(match("/get", "/") == nil)
        #expect(match("/", "/") == [:])
    }

    @Test func placesTakeOneDecodedSegment() {
        #expect(match("/a/{x}/{y}", "/a/%C3%BC/b%2Fc") == ["x": "ü", "y": "b/c"])
        #expect(match("/a/{x}", "/a/") == nil)
        #expect(match("/a/{x}", "/a/b/c") == nil)
    }

    @Test(arguments: ["-1", "+1", "1.5", "x", "", "٣", "99999999999999999999"])
    func integersAreDigitsThatFit(text: String) {
        #expect(match("/n/{n:int}", "/n/\(text)") == nil)
        #expect(match("/n/{n:int}", "/n/007") == ["n": "007"])
    }

    @Test func aPathTakesTheRest() {
        #expect(match("/any/{rest:path}", "/any/a//b/") == ["rest": "a//b/"])
        #expect(match("/any/{rest:path}", "/any/") == ["rest": ""])
        #expect(match("/any/{rest:path}", "/any") == nil)
    }
}
