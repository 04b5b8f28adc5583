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

    @Test(arguments: [
        ("Basic", [AuthenticationChallenge(scheme: "Basic")]),
        ("", []), (" , ,", []), ("\"Basic\"", []),
        ("Basic realm=a", [.init(scheme: "Basic", parameters: ["realm": "a"])]),
        (
            " ,, Basic REALM=a ,,charset=UTF-8,",
            [
                .init(scheme: "Basic", parameters: ["realm": "a", "charset": "UTF-8"])
            ]
        ),
        ("Negotiate, NTLM", [.init(scheme: "Negotiate"), .init(scheme: "NTLM")]),
        ("Negotiate YWJj==", [.init(scheme: "Negotiate", token68: "YWJj==")]),
        (
            "Negotiate  a-._~+/Z9= , Basic realm=b",
            [
                .init(scheme: "Negotiate", token68: "a-._~+/Z9="), .init(scheme: "Basic", parameters: ["realm": "b"]),
            ]
        ),
        ("Negotiate abc, x=y", [.init(scheme: "Negotiate", token68: "abc")]),
        ("a b=", [.init(scheme: "a", token68: "b=")]), ("a b==", [.init(scheme: "a", token68: "b==")]),
        ("a b=c", [.init(scheme: "a", parameters: ["b": "c"])]),
        ("a b=, c=d", [.init(scheme: "a", token68: "b=")]),
        ("a b=c d=e", [.init(scheme: "a", parameters: ["b": "c", "d": "e"])]),
        ("a b=c, d=", [.init(scheme: "a", parameters: ["b": "c", "d": ""])]),
        (
            "a b=c,d,e f",
            [
                .init(scheme: "a", parameters: ["b": "c"]), .init(scheme: "d"), .init(scheme: "e", token68: "f"),
            ]
        ),
        ("a b=c, B=d, e f=g", [.init(scheme: "e", parameters: ["f": "g"])]),
        ("a b=\"c\"d, e f=g", []), ("a b=c, d e=\"f\"g", [.init(scheme: "a", parameters: ["b": "c"])]),
        ("a b=\"c\";d=e", [.init(scheme: "a", parameters: ["b": "c"])]),
        ("a b=\"c\" d=e", [.init(scheme: "a", parameters: ["b": "c", "d": "e"])]),
        ("a b=\"\\\"\\\\\"", [.init(scheme: "a", parameters: ["b": "\"\\"])]),
    ])
    func challengesAreReadInOrder(value: String, expected: [AuthenticationChallenge]) {
        #expect(AuthenticationChallenge.parse(value) == expected)
    }

    @Test func theChallengesOfAllFieldsCount() {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .wwwAuthenticate, value: "Basic realm=a"))
        fields.append(HTTPField(name: .proxyAuthenticate, value: "Basic realm=b"))
        fields.append(HTTPField(name: .wwwAuthenticate, value: "Bearer error=invalid_token, Negotiate"))
        #expect(fields.challenges.map(\.scheme) == ["Basic", "Bearer", "Negotiate"])
        #expect(fields.challenges.map(\.realm) == ["a", nil, nil])
        #expect(fields.challenges.map(\.error) == [nil, "invalid_token", nil])
        #expect(fields.challenges[0].isScheme("bASIC") && !fields.challenges[0].isScheme("Bearer"))
    }

    /// RFC 7615 §3: parameters alone.
    @Test(arguments: [
        (
            #"rspauth="a b", CNONCE=c,nc=00000001 , qop=auth"#,
            ["rspauth": "a b", "cnonce": "c", "nc": "00000001", "qop": "auth"]
        ),
        ("", [:]), ("a=b, a=c", [:]), ("a=b, A=b", [:]), ("a=b, c", ["a": "b"]), ("a=b, c d=e", ["a": "b"]),
        (#"a=b, c="d"#, ["a": "b"]), (#"a=b, c="d"e, f=g"#, ["a": "b"]), ("a, b=c", [:]), ("a = b", ["a": "b"]),
    ])
    func aListOfParametersNeedsNoScheme(value: String, expected: [String: String]) {
        var parser = ChallengeParser(value)
        #expect(parser.parameters() == expected)
        var fieldParser = ChallengeParser(HTTPField(name: .authenticationInfo, value: value))
        #expect(fieldParser.parameters() == expected)
    }
}
