// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

struct CookieLineTests {
    private func cookie(
        domain: String = "a.example", isHostOnly: Bool = true, path: String = "/", isSecure: Bool = false,
        isHTTPOnly: Bool = false, expires: Int64? = nil, name: String = "n", value: String = "v"
    ) -> CookieLine {
        CookieLine(
            domain: domain, isHostOnly: isHostOnly, path: path, isSecure: isSecure, isHTTPOnly: isHTTPOnly,
            expires: expires, name: name, value: value)
    }

    @Test func aLineHasSevenValues() {
        let rows: [(String, CookieLine)] = [
            ("a.example\tFALSE\t/\tFALSE\t0\tn\tv", cookie()),
            (
                ".a.example\tTRUE\t/x\tTRUE\t1767225600\tn\tv",
                cookie(isHostOnly: false, path: "/x", isSecure: true, expires: 1_767_225_600)
            ),
            ("a.example\ttrue\t/\ttrue\t\tn\tv", cookie(isHostOnly: false, isSecure: true)),
            ("a.example\tno\t/\tyes\t0\tn\tv", cookie()),
            ("#HttpOnly_a.example\tFALSE\t/\tFALSE\t0\tn\tv", cookie(isHTTPOnly: true)),
            ("#HttpOnly_.a.example\tTRUE\t/\tFALSE\t0\tn\tv", cookie(isHostOnly: false, isHTTPOnly: true)),
            ("a.example\tFALSE\t/\tFALSE\t0\tn\t", cookie(value: "")),
            ("a.example\tFALSE\t/\tFALSE\t0\tn", cookie(value: "")),
            ("a.example\tFALSE\t/\tFALSE\t0\t\tv", cookie(name: "")),
            ("a.example\tFALSE\t/\tFALSE\t1.5\tn\tv", cookie(expires: 2)),
            ("a.example\tFALSE\t/\tFALSE\t-1\tn\tv", cookie(expires: -1)),
            ("a.example\tFALSE\t/\tFALSE\t0\tn\ta b \"c\" #d", cookie(value: "a b \"c\" #d")),
        ]
        for (line, expected) in rows {
            let read = CookieLine.read(line)
            #expect(read.cookies == [expected] && read.malformed.isEmpty, "\(line)")
        }
    }

    @Test(arguments: [
        "a.example", "a.example\tFALSE\t/\tFALSE\t0", "a.example\tFALSE\t/\tFALSE\t0\tn\tv\tx",
        "\tFALSE\t/\tFALSE\t0\tn\tv", ".\tTRUE\t/\tFALSE\t0\tn\tv", "a.example\tFALSE\tx\tFALSE\t0\tn\tv",
        "a.example\tFALSE\t\tFALSE\t0\tn\tv", "a.example\tFALSE\t/\tFALSE\tsoon\tn\tv",
        "a.example\tFALSE\t/\tFALSE\tinf\tn\tv", "a.example\tFALSE\t/\tFALSE\tnan\tn\tv",
        "a.example\tFALSE\t/\tFALSE\t0\tn\ta;b", "#HttpOnly_", "#HttpOnly_#x\tFALSE\t/\tFALSE\t0\tn\tv", "x",
    ])
    func anyOtherLineIsMalformed(line: String) {
        let read = CookieLine.read(line)
        #expect(read.cookies.isEmpty && read.malformed == [1])
    }

    @Test func aFileHasCommentsAndEmptyLines() {
        let good = "a.example\tFALSE\t/\tFALSE\t0\tn\tv"
        let text = "\u{FEFF}# Netscape HTTP Cookie File\r\n\r\n\(good)\r\n \t \nbad\n#\n##\(good)\n\(good)\nworse\n"
        let read = CookieLine.read(text)
        #expect(read.cookies == [cookie(), cookie()])
        #expect(read.malformed == [5, 9])
        #expect(CookieLine.read("").cookies.isEmpty && CookieLine.read("").malformed.isEmpty)
        #expect(CookieLine.fileHeader == "# Netscape HTTP Cookie File\n")
        #expect(CookieLine.read(CookieLine.fileHeader + good).cookies == [cookie()])
    }

    @Test func isWrittenAsCurlReadsIt() {
        #expect(cookie().text == "a.example\tFALSE\t/\tFALSE\t0\tn\tv\n")
        #expect(
            cookie(isHostOnly: false, path: "/x", isSecure: true, isHTTPOnly: true, expires: 7, value: "").text
                == "#HttpOnly_.a.example\tTRUE\t/x\tTRUE\t7\tn\t\n")
        // Zero would make it a session cookie.
        for expires in [0, -5, 1] as [Int64] {
            #expect(cookie(expires: expires).text == "a.example\tFALSE\t/\tFALSE\t1\tn\tv\n")
        }
        #expect(cookie(expires: 2).text == "a.example\tFALSE\t/\tFALSE\t2\tn\tv\n")
        for broken in ["a\tb", "a\nb", "a\u{7F}"] {
            #expect(cookie(domain: broken).text == nil && cookie(path: broken).text == nil)
            #expect(cookie(name: broken).text == nil && cookie(value: broken).text == nil)
        }
    }

    @Test(
        arguments: [
            (0, 0), (1, 1), (1.25, 2), (-1.25, -1), (1_767_225_600.5, 1_767_225_601), (1e30, .max), (-1e30, 1),
            (.infinity, .max), (-.infinity, 1),
        ] as [(Double, Int64)])
    func secondsAreRoundedUp(_ sinceEpoch: Double, _ seconds: Int64) {
        #expect(CookieLine.seconds(sinceEpoch) == seconds)
    }
}
