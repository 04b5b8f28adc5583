// SPDX-License-Identifier: Apache-2.0

import Crypto
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Proof key for code exchange (RFC 7636), by the method `S256`: shows that whoever redeems an authorization code is who asked
/// for it.
public struct ProofKey: Hashable, Sendable {
    /// 43 to 128 unreserved characters. A secret until it is sent, which is when the code is redeemed.
    public let verifier: String

    public init(verifier: String) {
        self.verifier = verifier
    }

    /// - Parameter randomness: random bits, of which 256 are used.
    public init(randomness: () -> UInt64 = { .random(in: .min ... .max) }) {
        let bytes = (0..<4).flatMap { _ in withUnsafeBytes(of: randomness()) { Array($0) } }
        verifier = Base64URL.encode(Data(bytes))
    }

    /// `code_challenge`, sent with the authorization request.
    public var challenge: String { Base64URL.encode(Data(SHA256.hash(data: Data(verifier.utf8)))) }
    /// `code_challenge_method`.
    public var method: String { "S256" }
}

extension ProofKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "ProofKey(verifier: …)" }
    @_documentation(visibility: internal)
    public var customMirror: Mirror { Mirror(self, children: ["challenge": challenge], displayStyle: .struct) }
}
