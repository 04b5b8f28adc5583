// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EchoServer

struct DigestTests {
    /// RFC 7616 §3.9.1.
    private func credentials(algorithm: String, response: String) -> String {
        """
        Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=\(algorithm), \
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, \
        cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="\(response)", \
        opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """
    }

    private static let vectors = [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ]

    @Test(arguments: vectors)
    func acceptsTheExamplesOfTheStandard(algorithm: String, response: String) throws {
        let credentials = try #require(DigestCredentials(credentials(algorithm: algorithm, response: response)))
        func isRight(_ user: String = "Mufasa", _ password: String = "Circle of Life", uri: String = "/dir/index.html")
            -> Bool
        {
            credentials.isRight(user: user, password: password, method: "GET", uri: uri, body: [])
        }
        #expect(isRight())
        #expect(!isRight("Scar"))
        #expect(!isRight("Mufasa", "circle of life"))
        #expect(!isRight(uri: "/dir/index.html?x"))
        #expect(
            !credentials.isRight(
                user: "Mufasa", password: "Circle of Life", method: "PUT", uri: "/dir/index.html", body: []))
    }

    /// RFC 2069 §2.4 with its erratum: no qop.
    @Test func acceptsCredentialsWithoutQop() throws {
        let credentials = try #require(
            DigestCredentials(
                """
                Digest username="Mufasa", realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
                uri="/dir/index.html", response="670fd8c2df070c60b045671b8b24ff02"
                """))
        #expect(
            credentials.isRight(
                user: "Mufasa", password: "Circle Of Life", method: "GET", uri: "/dir/index.html", body: []))
    }

    @Test func authIntCoversTheBody() throws {
        let md5 = DigestAlgorithm.md5
        let first = md5.hex("u:r:p")
        let second = md5.hex("POST:/x:\(md5.hex("body"))")
        let response = md5.hex("\(first):n:00000001:c:auth-int:\(second)")
        let field =
            "digest username=u, realm=r, nonce=n, uri=\"/x\", qop=auth-int, nc=00000001, cnonce=c, response=\(response)"
        let credentials = try #require(DigestCredentials(field))
        #expect(credentials.isRight(user: "u", password: "p", method: "POST", uri: "/x", body: Array("body".utf8)))
        #expect(!credentials.isRight(user: "u", password: "p", method: "POST", uri: "/x", body: Array("Body".utf8)))
    }

    @Test func otherSchemesAreNone() {
        #expect(DigestCredentials("Basic dTpw") == nil)
        #expect(DigestCredentials("Digest") == nil)
    }

    @Test func everyChallengeHasANonceOfItsOwn() {
        let challenge = DigestChallenge(qop: nil, algorithm: .sha256, stale: true)
        #expect(challenge.field.contains("qop=\"auth, auth-int\", algorithm=SHA-256, stale=TRUE"))
        #expect(challenge.field != challenge.field)
    }
}
