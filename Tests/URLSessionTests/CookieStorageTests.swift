// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct CookieStorageTests {
    @Test func cookiesGoInAndOutAsText() throws {
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let lines = [
            ".example.com\tTRUE\t/x\tTRUE\t1893456000\tsid\ta, b=1",
            "#HttpOnly_www.example.com\tFALSE\t/\tFALSE\t0\ts\tq",
        ]
        storage.insert(netscapeText: "# Netscape HTTP Cookie File\n" + lines.joined(separator: "\n") + "\nnonsense\n")
        #expect(Set(storage.netscapeText.split(separator: "\n").dropFirst().map(String.init)) == Set(lines))
        let cookie = try #require(storage.cookies?.first { $0.name == "sid" })
        #expect(cookie.value == "a, b=1")
        #expect(cookie.isSecure)
        #expect(cookie.expiresDate == Date(timeIntervalSince1970: 1_893_456_000))
    }
}
