// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCore

struct HomeServerTests {
    private static let servers = [
        ("https", "a.example"), ("https", "A.example:443"), ("https", "a.example:444"), ("http", "a.example"),
        ("https", "b.example"), ("https", "127.0.0.1"), ("https", "127.1"), ("https", "[::1]"), ("https", "[0::1]"),
    ]

    @Test(arguments: servers) func isTheSameOriginHoweverItIsWritten(_ start: (String, String)) throws {
        let origin = try #require(Origin(scheme: start.0, authority: start.1))
        for other in Self.servers {
            let isSame = Origin(scheme: other.0, authority: other.1) == origin
            for home in [HomeServer.start(scheme: start.0, authority: start.1), .origin(origin)] {
                #expect(home.isServer(ofScheme: other.0, authority: other.1) == isSame, "\(other)")
            }
        }
    }

    @Test func isNobodysWhereNothingIsNamed() {
        for home in [
            HomeServer.none, .start(scheme: "https", authority: "a.example"), .start(scheme: "", authority: ""),
        ] {
            #expect(!home.isServer(ofScheme: nil, authority: nil))
        }
        #expect(!HomeServer.none.isServer(ofScheme: "https", authority: "a.example"))
    }
}
