// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

struct DigestChallengeTests {
    private func challenge(_ parameters: [String: String]) -> DigestChallenge? {
        let needed = ["realm": "r", "nonce": "n"]
        return DigestChallenge(
            AuthenticationChallenge(scheme: "Digest", parameters: needed.merging(parameters) { $1 }))
    }

    /// A list, in any case, with blanks or without (RFC 7616 §3.3): `auth` before the one that covers bodies.
    @Test(arguments: [
        ("auth", DigestChallenge.Protection.auth), ("AUTH", .auth), ("auth-int", .authInt), ("auth,auth-int", .auth),
        ("auth-int, auth", .auth), ("auth-int\tauth", .auth), (" ,auth-int, ", .authInt),
        ("auth-conf auth-int", .authInt),
        ("auth-conf", nil), ("authauth", nil), ("", nil), (",", nil),
    ])
    func choosesAProtectionThatIsOffered(_ offered: String, _ expected: DigestChallenge.Protection?) {
        let read = challenge(["qop": offered])
        #expect((read != nil) == (expected != nil))
        #expect(read?.protection == expected)
    }

    @Test func aServerThatOffersNoneSpeaksRFC2069() {
        let read = challenge([:])
        #expect(read != nil && read?.protection == nil)
        #expect(read?.algorithm == .md5 && read?.isSession == false && read?.algorithmName == nil)
        #expect(read?.isStale == false && read?.hashesUsername == false)
    }

    @Test func whatItSaysIsInAnyCase() {
        let read = challenge(["algorithm": "sha-256-SESS", "stale": "TRUE", "userhash": "True", "opaque": "o"])
        #expect(read?.algorithm == .sha256 && read?.isSession == true && read?.algorithmName == "sha-256-SESS")
        #expect(read?.isStale == true && read?.hashesUsername == true && read?.opaque == "o")
        #expect(challenge(["algorithm": "SHA-1"]) == nil)
    }

    @Test(arguments: [
        (#"Digest realm="r", nonce="n""#, true), (#"DIGEST realm="r", nonce="n""#, true),
        (#"Basic realm="r", nonce="n""#, false), (#"Digest nonce="n""#, false), (#"Digest realm="r""#, false),
        (#"Digest realm="r", nonce="n", algorithm=MD5-sess"#, true),
        (#"Digest realm="r", nonce="n", algorithm=sess"#, false),
        (#"Digest realm="r", nonce="n", algorithm=-sess"#, false),
        (#"Digest realm="r", nonce="n", stale=false, userhash=false"#, true),
    ])
    func needsARealmAndANonceAndAKnownAlgorithm(value: String, isOne: Bool) {
        let read = AuthenticationChallenge.parse(value).compactMap(DigestChallenge.init)
        #expect(read.map(\.nonce) == (isOne ? ["n"] : []))
        #expect(read.map(\.realm) == (isOne ? [Array("r".utf8)] : []))
        #expect(read.allSatisfy { !$0.isStale && !$0.hashesUsername })
    }

    /// RFC 7616 §3.7: the strongest that is known, and of equals the first.
    @Test func theStrongestIsAnswered() {
        func nonce(_ values: String..., notBelow least: DigestAlgorithm = .md5) -> String? {
            DigestChallenge.strongest(of: values.flatMap(AuthenticationChallenge.parse), notBelow: least)?.nonce
        }
        let (md5, other) = (#"Digest realm="r", nonce="m""#, #"Digest realm="r", nonce="m2", algorithm=MD5"#)
        let sha256 = #"Digest realm="r", nonce="s", algorithm=SHA-256"#
        let session = #"Digest realm="r", nonce="s2", algorithm=SHA-256-sess"#
        let unknown = #"Digest realm="r", nonce="x", algorithm=SHA-512-256"#
        #expect(nonce(md5, sha256) == "s" && nonce(sha256, md5) == "s")
        #expect(nonce(md5, other) == "m" && nonce(other, md5) == "m2")
        #expect(nonce(md5, session, sha256) == "s2" && nonce(unknown, sha256, session) == "s")
        #expect(nonce("Basic realm=r", unknown, md5) == "m")
        #expect(nonce("Basic realm=r", unknown) == nil && nonce() == nil)
        #expect(nonce(md5, notBelow: .sha256) == nil)
        #expect(nonce(md5, sha256, notBelow: .sha256) == "s")
    }
}
