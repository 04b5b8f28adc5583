// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Testing

struct AuthenticationChallengeTests {
    @Test func textThatIsNotUTF8IsWindows1252() {
        let value = Array(#"Digest realm="caf"#.utf8) + [0xe9] + Array(#" \"x\"", nonce="n", Basic realm="ä""#.utf8)
        var fields = HTTPFields()
        fields.append(HTTPField(name: .wwwAuthenticate, value: value))
        #expect(fields.challenges.map(\.realm) == ["café \"x\"", "ä"])
    }

    /// What cannot be read to its end is left out; what stands before it counts.
    @Test(arguments: [
        #"Basic realm="a", Digest realm="b", nonce="open"#, #"Basic realm="a", Digest nonce=""#,
    ])
    func aChallengeThatIsCutOffIsNone(value: String) {
        #expect(AuthenticationChallenge.parse(value).map(\.scheme) == ["Basic"])
    }

    /// RFC 9110 §5.6.3 lets blanks stand there for the sake of old servers.
    @Test(arguments: ["=", " =", "= ", " = ", "\t=\t"])
    func blanksMayStandAroundAnEqualsSign(_ equals: String) {
        let value = "Digest realm\(equals)\"a b\", nonce\(equals)n,opaque\(equals)\"\", Basic realm\(equals)c"
        let expected = [
            AuthenticationChallenge(scheme: "Digest", parameters: ["realm": "a b", "nonce": "n", "opaque": ""]),
            AuthenticationChallenge(scheme: "Basic", parameters: ["realm": "c"]),
        ]
        #expect(AuthenticationChallenge.parse(value) == expected)
    }

    @Test func aChallengeIsTheSameHoweverItIsMade() {
        let made = AuthenticationChallenge(scheme: "Basic", parameters: ["realm": "ä"])
        #expect(AuthenticationChallenge.parse(#"Basic realm="ä""#) == [made])
        #expect(([.wwwAuthenticate: #"Basic realm="ä""#] as HTTPFields).challenges == [made])
    }
}
