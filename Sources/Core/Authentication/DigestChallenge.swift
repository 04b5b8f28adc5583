// SPDX-License-Identifier: Apache-2.0

/// A digest challenge that can be answered (RFC 7616 §3.3).
package struct DigestChallenge: Hashable, Sendable {
    package enum Protection: String, Sendable {
        /// Method and URL are covered.
        case auth
        /// The body too.
        case authInt = "auth-int"
    }

    /// In the bytes that it came in.
    package var realm: [UInt8]
    package var nonce: String
    package var opaque: String?
    package var algorithm: DigestAlgorithm
    /// As it was written; `nil` when it was not, which means MD5.
    package var algorithmName: String?
    package var isSession: Bool
    /// `nil`: the server speaks RFC 2069.
    package var protection: Protection?
    package var isStale: Bool
    package var hashesUsername: Bool

    /// `nil` when a part is missing, or the algorithm or every protection is unknown.
    package init?(_ challenge: AuthenticationChallenge) {
        guard challenge.isScheme("Digest"), let realm = challenge.realmBytes, let nonce = challenge.parameters["nonce"]
        else {
            return nil
        }
        algorithmName = challenge.parameters["algorithm"]
        let name = (algorithmName ?? "MD5").uppercased()
        isSession = name.hasSuffix("-SESS")
        guard let algorithm = DigestAlgorithm(name: isSession ? String(name.dropLast(5)) : name) else { return nil }
        self.algorithm = algorithm
        if let offered = challenge.parameters["qop"] {
            let names = offered.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
            guard let best = [Protection.auth, .authInt].first(where: { names.contains($0.rawValue[...]) }) else {
                return nil
            }
            protection = best
        }
        self.realm = realm
        self.nonce = nonce
        opaque = challenge.parameters["opaque"]
        isStale = challenge.parameters["stale"]?.lowercased() == "true"
        hashesUsername = challenge.parameters["userhash"]?.lowercased() == "true"
    }

    /// The one with the strongest algorithm, the first of equals (RFC 7616 §3.7).
    ///
    /// - Parameter least: weaker algorithms are not answered.
    package static func strongest(
        of challenges: [AuthenticationChallenge], notBelow least: DigestAlgorithm = .md5
    ) -> DigestChallenge? {
        var best: DigestChallenge?
        for challenge in challenges.compactMap(DigestChallenge.init)
        where challenge.algorithm >= least && best.map({ $0.algorithm < challenge.algorithm }) ?? true {
            best = challenge
        }
        return best
    }
}
