// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataURLSession

struct SetCookieListTests {
    @Test(arguments: [
        ("a=1", ["a=1"]),
        ("a=1, b=2", ["a=1", "b=2"]),
        (
            "a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT, b=2; Path=/",
            ["a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT", "b=2; Path=/"]
        ),
        ("a=\"x, y=z\", b=2", ["a=\"x, y=z\"", "b=2"]),
        ("a=1,b=2,__Host-c=3", ["a=1", "b=2", "__Host-c=3"]),
        ("a=x, y, b=2", ["a=x, y", "b=2"]),
        ("a=1, ", ["a=1,"]),
        ("a=\"open, b=2; Path=/, c=3", ["a=\"open, b=2; Path=/", "c=3"]),
        ("", []),
    ])
    func takesJoinedCookiesApart(_ text: String, _ cookies: [String]) {
        #expect(SetCookieList.split(text) == cookies)
    }
}
