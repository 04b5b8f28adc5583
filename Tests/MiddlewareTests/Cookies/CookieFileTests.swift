// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataMiddleware
import Synchronization
import TestSupport
import Testing

struct CookieFileTests {
    private func site(_ host: String = "example.com") throws -> URL { try #require(URL(string: "https://\(host)/")) }

    @Test func cookiesOutliveTheJarAndSessionCookiesDoNot() throws {
        let folder = try TemporaryFolder()
        let jar = try CookieJar(file: folder["cookies.json"])
        // Nothing has changed.
        try jar.flush()
        #expect(try folder.names == [])
        jar.receive([.setCookie: "kept=1; Max-Age=600; Secure"], from: try site())
        jar.receive([.setCookie: "session=1"], from: try site())
        try jar.flush()
        #expect(try CookieJar(file: folder["cookies.json"]).cookies.map(\.name) == ["kept"])
        #expect(try folder.attribute(.posixPermissions, of: "cookies.json") == 0o600)
        #expect(try folder.names == ["cookies.json"])
        #expect(jar.cookies.count == 2)
    }

    @Test func sessionCookiesAreKeptWhenAskedFor() throws {
        let folder = try TemporaryFolder()
        let jar = try CookieJar(file: folder["cookies.json"], keepsSessionCookies: true)
        jar.receive([.setCookie: "session=1"], from: try site())
        try jar.flush()
        #expect(try CookieJar(file: folder["cookies.json"]).cookies == jar.cookies)
    }

    @Test func whatManyTasksChangeIsAllInTheFile() async throws {
        let folder = try TemporaryFolder()
        let jar = try CookieJar(file: folder["cookies.json"])
        await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    guard let site = URL(string: "https://h\(number % 20).example/") else { return }
                    jar.receive([.setCookie: "c\(number)=\(number); Max-Age=600"], from: site)
                    if number.isMultiple(of: 17) { try? jar.flush() }
                }
            }
        }
        try jar.flush()
        #expect(jar.cookies.count == 200)
        #expect(Set(try CookieJar(file: folder["cookies.json"]).cookies) == Set(jar.cookies))
    }

    @Test(.timeLimit(.minutes(10)))
    func theFileIsWrittenWithoutBeingAskedFor() async throws {
        let folder = try TemporaryFolder()
        let jar = try CookieJar(file: folder["cookies.json"])
        jar.receive([.setCookie: "a=1; Max-Age=600"], from: try site())
        await eventually { (try? CookieJar(file: folder["cookies.json"]).cookies.count) == 1 }
        jar.removeAll()
        await eventually { (try? CookieJar(file: folder["cookies.json"]).cookies.isEmpty) == true }
    }

    @Test(.timeLimit(.minutes(10)))
    func aFailureToWriteIsToldAndTheCookiesStay() async throws {
        let folder = try TemporaryFolder()
        let failures = Mutex(0)
        let missing = folder["missing"].appending(path: "cookies.json")
        let jar = try CookieJar(file: missing) { _ in failures.withLock { $0 += 1 } }
        jar.receive([.setCookie: "a=1; Max-Age=600"], from: try site())
        await eventually { failures.withLock { $0 } > 0 }
        #expect(jar.cookies.count == 1)
        #expect(throws: (any Error).self) { try jar.flush() }
        try FileManager.default.createDirectory(at: folder["missing"], withIntermediateDirectories: true)
        try jar.flush()
        #expect(try CookieJar(file: missing).cookies.count == 1)
    }

    @Test func aFileOfSomethingElseIsAnError() throws {
        let folder = try TemporaryFolder()
        try Data("# Netscape".utf8).write(to: folder["cookies.json"])
        #expect(throws: DecodingError.self) { try CookieJar(file: folder["cookies.json"]) }
    }

    // MARK: cookies.txt

    @Test func aCookiesTextIsReadAndWritten() throws {
        let text = """
            # Netscape HTTP Cookie File
            # a comment

            .example.com\tTRUE\t/\tTRUE\t1893456000\tsid\tabc=1
            #HttpOnly_www.example.com\tFALSE\t/x\tFALSE\t0\tsession\t"q"

            """
        let jar = CookieJar()
        #expect(jar.insert(netscapeText: text) == [])
        #expect(jar.cookies.map(\.description) == ["sid for .example.com/", "session for www.example.com/x"])
        #expect(jar.cookies.map(\.isHTTPOnly) == [false, true])
        #expect(jar.cookies.map(\.isSecure) == [true, false])
        #expect(jar.cookies.map(\.expires) == [Date(timeIntervalSince1970: 1_893_456_000), nil])
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("# a") }
        #expect(jar.netscapeText.split(separator: "\n") == lines)
    }

    @Test func otherFormsOfTheFileAreReadToo() throws {
        let jar = CookieJar()
        // With returns, without a dot or a mark at a domain for all hosts, without a tab before an empty value, expired.
        let text =
            "example.com\tTRUE\t/\tFALSE\t0\ta\t1\r\nexample.com\tFALSE\t/\tFALSE\t0\tb\r\n"
            + "example.com\tFALSE\t/\tFALSE\t1\tgone\tx\nnonsense\n#HttpOnly_broken\n\texample\n"
        #expect(jar.insert(netscapeText: text) == [4, 5, 6])
        #expect(jar.cookies.map(\.description) == ["a for .example.com/", "b for example.com/"])
    }

    /// Python leaves the moment of a session cookie out, extensions of browsers write fractions, editors a byte order mark.
    @Test(
        arguments: [
            ("", nil), ("0", nil), ("1893456000", 1_893_456_000), ("1893456000.25", 1_893_456_001),
            ("1.893456e9", 1_893_456_000),
        ] as [(String, Double?)])
    func aMomentMayBeWrittenInSeveralWays(text: String, seconds: Double?) throws {
        let jar = CookieJar()
        #expect(jar.insert(netscapeText: "\u{FEFF}example.com\tFALSE\t/\tFALSE\t\(text)\ta\t1\n") == [])
        #expect(jar.cookies.map(\.expires) == [seconds.map { Date(timeIntervalSince1970: $0) }])
    }

    @Test func anyMomentIsWritten() {
        let moments: [Date] = [
            .distantFuture, Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: 1e300),
        ]
        for moment in moments {
            let jar = CookieJar([Cookie(name: "a", value: "1", domain: "example.com", expires: moment)])
            #expect(CookieJar().insert(netscapeText: jar.netscapeText) == [])
        }
    }

    @Test func whatTheFormatCannotHoldIsLeftOut() throws {
        let jar = CookieJar([
            Cookie(name: "a", value: "x\ty", domain: "example.com"),
            Cookie(name: "b", value: "1", domain: "example.com"),
        ])
        #expect(jar.netscapeText.split(separator: "\n").dropFirst() == ["example.com\tFALSE\t/\tFALSE\t0\tb\t1"])
    }
}
