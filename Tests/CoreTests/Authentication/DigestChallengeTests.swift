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
}
