// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

/// The conformance vectors for cookies, each through a client.
struct CookieVectorTests {
    private struct Exchange: Decodable {
        let id: String
        let set_from: String
        let set_cookie: [String]
        let get_for: String
        /// Names and values in their order; `nil`: any answer will do.
        let expected: [[String]]?
        let disabled_in_source: Bool?
        let level: String?
    }

    @Test(.vectors("cookies/cookies.json"), arguments: ["http_state", "own"])
    func cookiesAreKeptAndSent(list: String) async throws {
        for exchange in try Vectors.cases("cookies/cookies.json", list, of: Exchange.self) {
            guard let expected = exchange.expected, exchange.disabled_in_source != true else { continue }
            let fields = exchange.set_cookie.map { HTTPField(name: .setCookie, value: Array($0.utf8)) }
            let transport = ScriptedTransport(.status(200, fields: HTTPFields(fields)), .status(200))
            let client = makeClient(transport, CookieMiddleware())
            try await Vectors.judge(exchange.id, exchange.level) {
                _ = try await client.call(.get, exchange.set_from)
                _ = try await client.call(.get, exchange.get_for)
                let text = expected.map { $0[0].isEmpty ? $0[1] : "\($0[0])=\($0[1])" }.joined(separator: "; ")
                let sent = transport.requests[1]["cookie"] ?? ""
                #expect(Array(sent.utf8) == Array(text.utf8), "\(exchange.id): \(sent)")
            }
        }
    }

    private struct DateCase: Decodable {
        let id: String
        let text: String
        let expected: String?
    }

    @Test(.vectors("cookies/cookies.json"))
    func datesAreRead() throws {
        let origin = try #require(URL(string: "https://example.com/"))
        // Before all of them, so that none has passed.
        let now = Date(timeIntervalSince1970: -12_000_000_000)
        var options = CookieJar.Options()
        options.longestLifetime = .seconds(1_000_000_000_000)
        for date in try Vectors.cases("cookies/cookies.json", "dates", of: DateCase.self) {
            let jar = CookieJar(options: options)
            jar.receive([.setCookie: "a=b; Expires=\(date.text)"], from: origin, now: now)
            let expected = date.expected.flatMap { $0.isEmpty ? nil : HTTPDate.parse($0) }
            #expect(jar.cookies.count == 1, "\(date.id)")
            #expect(jar.cookies.first?.expires == expected, "\(date.id)")
        }
    }
}
