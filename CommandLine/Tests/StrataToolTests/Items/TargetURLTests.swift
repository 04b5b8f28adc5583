// SPDX-License-Identifier: Apache-2.0

import StrataTool
import Testing

struct TargetURLTests {
    @Test(arguments: [
        (":8080/path", "http://localhost:8080/path"),
        (":8080", "http://localhost:8080"),
        (":8080?x=1", "http://localhost:8080?x=1"),
        (":/path", "http://localhost/path"),
        (":", "http://localhost/"),
        ("host.example/path", "http://host.example/path"),
        ("host.example:81/path", "http://host.example:81/path"),
        ("https://host.example", "https://host.example"),
        ("HTTP://host", "HTTP://host"),
        ("://host/path", "http://host/path"),
        ("[::1]:80/x", "http://[::1]:80/x"),
        ("host/?u=https://other", "http://host/?u=https://other"),
    ])
    func aShorthandBecomesAURL(text: String, url: String) throws {
        #expect(try TargetURL.expand(text) == url)
    }

    @Test func theSchemeMayBeAnother() throws {
        #expect(try TargetURL.expand(":1/x", scheme: "https") == "https://localhost:1/x")
        #expect(throws: UsageError.self) { try TargetURL.expand("") }
    }

    @Test(arguments: [
        ("GET", true), ("M-SEARCH", true), ("get", false), ("", false), ("host.example", false), (":80", false),
    ])
    func aMethodIsAWordInCapitals(text: String, isMethod: Bool) {
        #expect(TargetURL.isMethod(text) == isMethod)
    }
}
