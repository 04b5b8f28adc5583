// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Testing

@testable import StrataMiddleware

struct AuthenticationChallengeTests {
    /// A challenge whose realm is in Latin-1.
    private static let field = HTTPField(
        name: .wwwAuthenticate,
        value: Array(#"Digest realm="caf"#.utf8) + [0xe9] + Array(#" \"x\"", nonce="n", Basic realm="ä""#.utf8))

    @Test func textThatIsNotUTF8IsWindows1252() {
        var fields = HTTPFields()
        fields.append(Self.field)
        #expect(fields.challenges.map(\.realm) == ["café \"x\"", "ä"])
    }

    @Test func aChallengeIsTheSameHoweverItIsMade() {
        let made = AuthenticationChallenge(scheme: "Basic", parameters: ["realm": "ä"])
        #expect(AuthenticationChallenge.parse(#"Basic realm="ä""#) == [made])
        #expect(([.wwwAuthenticate: #"Basic realm="ä""#] as HTTPFields).challenges == [made])
    }

    @Test func aDigestIsOfTheRealmsBytesAndGivesThemBack() async throws {
        var fields = HTTPFields()
        fields.append(Self.field)
        let transport = ScriptedTransport(.status(401, fields: fields), .status(200))
        let auth = DigestAuthMiddleware(username: "me", password: Secret.password)
        #expect(try await makeClient(transport, auth).call().head.status == .ok)

        let md5 = DigestAlgorithm.md5
        let realm = Array("caf".utf8) + [0xe9] + Array(#" "x""#.utf8)
        let secret = md5.hash(Array("me:".utf8) + realm + Array(":\(Secret.password)".utf8))
        let response = md5.hash("\(secret):n:\(md5.hash("GET:/"))")
        let sent = try #require(transport.requests[1].head.headerFields[fields: .authorization].first)
        #expect(sent.text.contains(#"realm="café \"x\"", "#))
        #expect(sent.value.contains("caf\u{FFFD}"), "in Latin-1, as it came")
        #expect(sent.text.contains("response=\"\(response)\""))
    }
}
