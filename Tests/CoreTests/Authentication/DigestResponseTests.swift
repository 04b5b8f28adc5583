// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

struct DigestResponseTests {
    /// Stands in for a hash: it shows what is hashed, between brackets that name the function.
    private static let shown: @Sendable ([UInt8], DigestAlgorithm) -> String = { bytes, algorithm in
        "\(algorithm)[\(String(decoding: bytes, as: UTF8.self))]"
    }

    private func challenge(_ value: String) throws -> DigestChallenge {
        try #require(AuthenticationChallenge.parse(value).compactMap(DigestChallenge.init).first)
    }

    private func answer(
        _ value: String, username: String = "u", password: String = "p", method: String = "GET", uri: String = "/x",
        session: DigestResponse.Nonces = .init(server: "n1", client: "c1"), count: UInt32 = 10, bodyHash: String? = nil,
        hash: @escaping @Sendable ([UInt8], DigestAlgorithm) -> String = DigestResponseTests.shown
    ) throws -> DigestResponse {
        DigestResponse(
            challenge: try challenge(value), username: username, password: password, method: method, uri: uri,
            clientNonce: "c", session: session, count: count, bodyHash: bodyHash, hash: hash)
    }

    private func field(_ response: DigestResponse) -> String { String(decoding: response.fieldValue, as: UTF8.self) }

    @Test(arguments: [
        (#"Digest realm="r", nonce="n""#, "md5[md5[u:r:p]:n:md5[GET:/x]]"),
        (#"Digest realm="r", nonce="n", qop=auth"#, "md5[md5[u:r:p]:n:0000000a:c:auth:md5[GET:/x]]"),
        (
            #"Digest realm="r", nonce="n", qop=auth, algorithm=SHA-256"#,
            "sha256[sha256[u:r:p]:n:0000000a:c:auth:sha256[GET:/x]]"
        ),
        (
            #"Digest realm="r", nonce="n", qop=auth, algorithm=MD5-sess"#,
            "md5[md5[md5[u:r:p]:n1:c1]:n:0000000a:c:auth:md5[GET:/x]]"
        ),
        (#"Digest realm="r", nonce="n", algorithm=MD5-sess"#, "md5[md5[md5[u:r:p]:n1:c1]:n:md5[GET:/x]]"),
        (
            #"Digest realm="r", nonce="n", qop=auth-int"#,
            "md5[md5[u:r:p]:n:0000000a:c:auth-int:md5[GET:/x:md5[]]]"
        ),
    ])
    func hashesWhatTheChallengeAsksFor(value: String, expected: String) throws {
        #expect(try answer(value).response == expected)
    }

    @Test func theBodyCountsForTheProtectionThatCoversIt() throws {
        let covering = try answer(#"Digest realm="r", nonce="n", qop=auth-int"#, bodyHash: "body")
        #expect(covering.response == "md5[md5[u:r:p]:n:0000000a:c:auth-int:md5[GET:/x:body]]")
        let other = try answer(#"Digest realm="r", nonce="n", qop=auth"#, bodyHash: "body")
        #expect(other.response == "md5[md5[u:r:p]:n:0000000a:c:auth:md5[GET:/x]]")
    }

    /// RFC 7616 §3.5: without the method, and over the body of the response.
    @Test func theServerShowsTheSameWithoutAMethod() throws {
        let plain = try answer(#"Digest realm="r", nonce="n", qop=auth"#)
        #expect(plain.serverResponse() == "md5[md5[u:r:p]:n:0000000a:c:auth:md5[:/x]]")
        let covering = try answer(#"Digest realm="r", nonce="n", qop=auth-int"#, bodyHash: "request")
        #expect(
            covering.serverResponse(bodyHash: "answer") == "md5[md5[u:r:p]:n:0000000a:c:auth-int:md5[:/x:answer]]")
        #expect(covering.serverResponse() == "md5[md5[u:r:p]:n:0000000a:c:auth-int:md5[:/x:md5[]]]")
    }

    /// The realm goes into the hash in the bytes that came.
    @Test func aRealmThatIsNotUTF8IsHashedAndReturnedAsItCame() throws {
        let realm: [UInt8] = Array("caf".utf8) + [0xE9]
        var challenge = try challenge(#"Digest realm="r", nonce="n""#)
        challenge.realm = realm
        let response = DigestResponse(
            challenge: challenge, username: "u", password: "p", method: "GET", uri: "/x", clientNonce: "c",
            session: .init(server: "n", client: "c"), count: 1,
            hash: { bytes, _ in bytes.starts(with: Array("u:".utf8) + realm + Array(":p".utf8)) ? "right" : "other" })
        #expect(response.hashedUsername == "other")
        #expect(response.fieldValue.starts(with: Array(#"Digest username="u", realm=""#.utf8) + realm + [0x22]))
    }

    @Test(arguments: [
        (
            #"Digest realm="r", nonce="n""#,
            #"Digest username="u", realm="r", uri="/x", nonce="n", response="h""#
        ),
        (
            #"Digest realm="r", nonce="n", algorithm=md5, qop="auth,auth-int", opaque="o""#,
            #"Digest username="u", realm="r", uri="/x", algorithm=md5, nonce="n", "#
                + #"nc=0000000a, cnonce="c", qop=auth, response="h", opaque="o""#
        ),
        (
            #"Digest realm="r", nonce="n", algorithm=MD5-sess"#,
            #"Digest username="u", realm="r", uri="/x", algorithm=MD5-sess, nonce="n", cnonce="c", response="h""#
        ),
        (
            #"Digest realm="r", nonce="n", algorithm=SHA-256, qop=auth-int, userhash=true"#,
            #"Digest username="h", realm="r", uri="/x", algorithm=SHA-256, nonce="n", "#
                + #"nc=0000000a, cnonce="c", qop=auth-int, response="h", userhash=true"#
        ),
        (
            #"Digest realm="a \"b\" \\c", nonce="\"n", opaque="\\""#,
            #"Digest username="u", realm="a \"b\" \\c", uri="/x", nonce="\"n", response="h", opaque="\\""#
        ),
    ])
    func theFieldHasWhatTheServerNeeds(value: String, expected: String) throws {
        #expect(field(try answer(value, hash: { _, _ in "h" })) == expected)
    }

    /// RFC 7616 §3.4: a name that is not ASCII stands in the extended notation, or is hashed.
    @Test func aNameIsWrittenByWhatIsInIt() throws {
        let plain = #"Digest realm="r", nonce="n""#
        let rest = #", realm="r", uri="/x", nonce="n", response="h""#
        for (name, written) in [
            (#"a"b\c"#, #"username="a\"b\\c""#), ("~\u{7F}", "username=\"~\u{7F}\""),
            ("Jäsøn Doe", "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe"), ("\u{80}", "username*=UTF-8''%C2%80"),
        ] {
            #expect(field(try answer(plain, username: name, hash: { _, _ in "h" })) == "Digest \(written)\(rest)")
        }
        let hashed = try answer(plain + ", userhash=true", username: "Jäsøn Doe")
        #expect(hashed.hashedUsername == "md5[Jäsøn Doe:r]")
        #expect(field(hashed).hasPrefix(#"Digest username="md5[Jäsøn Doe:r]", realm="r", "#))
        #expect(field(hashed).hasSuffix(", userhash=true"))
    }

    /// RFC 7616 §3.9.1, RFC 2617 §3.5, RFC 2069 §2.4 with its erratum. Of the hash functions, what is needed here.
    @Test(arguments: [
        (
            #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, "#
                + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v""#,
            "Circle of Life", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            [
                "Mufasa:http-auth@example.org:Circle of Life": "3d78807defe7de2157e2b0b6573a855f",
                "GET:/dir/index.html": "39aff3a2bab6126f332b942af96d3366",
                "3d78807defe7de2157e2b0b6573a855f:7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v:00000001:"
                    + "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ:auth:39aff3a2bab6126f332b942af96d3366":
                    "8ca523f5e9506fed4657c9700eebdbec",
            ], "8ca523f5e9506fed4657c9700eebdbec"
        ),
        (
            #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, "#
                + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v""#,
            "Circle of Life", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            [
                "Mufasa:http-auth@example.org:Circle of Life":
                    "7987c64c30e25f1b74be53f966b49b90f2808aa92faf9a00262392d7b4794232",
                "GET:/dir/index.html": "9a3fdae9a622fe8de177c24fa9c070f2b181ec85e15dcbdc32e10c82ad450b04",
                "7987c64c30e25f1b74be53f966b49b90f2808aa92faf9a00262392d7b4794232:"
                    + "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v:00000001:"
                    + "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ:auth:"
                    + "9a3fdae9a622fe8de177c24fa9c070f2b181ec85e15dcbdc32e10c82ad450b04":
                    "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
            ], "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
        ),
        (
            #"Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#,
            "Circle Of Life", "0a4f113b",
            [
                "Mufasa:testrealm@host.com:Circle Of Life": "939e7578ed9e3c518a452acee763bce9",
                "GET:/dir/index.html": "39aff3a2bab6126f332b942af96d3366",
                "939e7578ed9e3c518a452acee763bce9:dcd98b7102dd2f0e8b11d0f600bfb0c093:00000001:0a4f113b:auth:"
                    + "39aff3a2bab6126f332b942af96d3366": "6629fae49393a05397450978507c4ef1",
            ], "6629fae49393a05397450978507c4ef1"
        ),
        (
            #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#, "CircleOfLife", "",
            [
                "Mufasa:testrealm@host.com:CircleOfLife": "4945ecf42b1bb868634058a845bedde8",
                "GET:/dir/index.html": "39aff3a2bab6126f332b942af96d3366",
                "4945ecf42b1bb868634058a845bedde8:dcd98b7102dd2f0e8b11d0f600bfb0c093:"
                    + "39aff3a2bab6126f332b942af96d3366": "1949323746fe6a43ef61f9606e7febea",
            ], "1949323746fe6a43ef61f9606e7febea"
        ),
    ])
    func theExamplesOfTheStandardsComeOut(
        _ value: String, _ password: String, _ nonce: String, _ hashes: [String: String], _ expected: String
    ) throws {
        let response = DigestResponse(
            challenge: try challenge(value), username: "Mufasa", password: password, method: "GET",
            uri: "/dir/index.html", clientNonce: nonce, session: .init(server: "", client: ""), count: 1,
            hash: { bytes, _ in hashes[String(decoding: bytes, as: UTF8.self)] ?? "unknown" })
        #expect(response.response == expected)
    }

    @Test func noncesAreOfLettersAndDigitsAndNoTwoAreTheSame() {
        let nonces = (0..<100).map { _ in DigestResponse.randomNonce() }
        #expect(Set(nonces).count == 100)
        for nonce in nonces {
            #expect((16...26).contains(nonce.count) && nonce.utf8.allSatisfy { $0.isDigit || $0.isLetter })
        }
    }
}
