// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataMiddleware
import Testing

struct AuthenticationChallengeTests {
    @Test func textThatIsNotUTF8IsWindows1252() {
        let value = Array(#"Digest realm="caf"#.utf8) + [0xe9] + Array(#" \"x\"", nonce="n", Basic realm="ä""#.utf8)
        var fields = HTTPFields()
        fields.append(HTTPField(name: .wwwAuthenticate, value: value))
        #expect(fields.challenges.map(\.realm) == ["café \"x\"", "ä"])
    }

    @Test func aChallengeIsTheSameHoweverItIsMade() {
        let made = AuthenticationChallenge(scheme: "Basic", parameters: ["realm": "ä"])
        #expect(AuthenticationChallenge.parse(#"Basic realm="ä""#) == [made])
        #expect(([.wwwAuthenticate: #"Basic realm="ä""#] as HTTPFields).challenges == [made])
    }
}
