// SPDX-License-Identifier: Apache-2.0

import StrataRequests
import Testing

struct HeaderTests {
    @Test func factoriesNameTheField() {
        let expected: [(Header, String)] = [
            (.accept("text/html"), "Accept: text/html"),
            (.accept(.applicationJSON), "Accept: application/json"),
            (.accept(.textPlain), "Accept: text/plain"),
            (.acceptLanguage("de"), "Accept-Language: de"),
            (.authorization("Custom abc"), "Authorization: Custom abc"),
            (.authorization(.basic, value: "secret password"), "Authorization: Basic secret password"),
            (.authorization(.bearer, value: "token"), "Authorization: Bearer token"),
            (.authorization(.digest, value: "a=b"), "Authorization: Digest a=b"),
            (.cacheControl("no-store"), "Cache-Control: no-store"),
            (.contentType("text/csv"), "Content-Type: text/csv"),
            (.contentType(.applicationJSON), "Content-Type: application/json"),
            (Header(.userAgent, "demo/1"), "User-Agent: demo/1"),
        ]
        for (header, description) in expected { #expect(header.description == description) }
    }

    @Test func credentialsAreEncoded() {
        // The example of RFC 7617 §2.
        let value = "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        #expect(Header.authorization(.basic(username: "Aladdin", password: "open sesame")).value == value)
        #expect(Header.basic(username: "Aladdin", password: "open sesame").value == value)
        #expect(Header.authorization(.bearer("abc")).value == "Bearer abc")
    }
}
