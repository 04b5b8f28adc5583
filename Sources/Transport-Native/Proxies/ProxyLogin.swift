// SPDX-License-Identifier: Apache-2.0

import CStrataOpenSSL
import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The credentials for an HTTP proxy, and how it wants to have them (RFC 9110 §11.7): Basic (RFC 7617) at once, Digest (RFC 7616) when it
/// has asked for that. Touched under the loop's lock alone.
final class ProxyLogin {
    /// What a request has shown.
    enum Answer: Equatable {
        case basic
        /// - Parameter isFirst: whether it was the first use of that nonce.
        case digest(nonce: String, isFirst: Bool)
    }

    private let user: String
    private let password: String
    private let makeNonce: () -> String
    /// The last challenge, and how often it was answered.
    private var challenge: DigestChallenge?
    private var session = DigestResponse.Nonces(server: "", client: "")
    private var count: UInt32 = 0

    /// How often one request is sent again because the proxy has refused it.
    static let maximumRefusals = 3

    init(user: String, password: String, makeNonce: @escaping () -> String = DigestResponse.randomNonce) {
        self.user = user
        self.password = password
        self.makeNonce = makeNonce
    }

    /// The field `Proxy-Authorization` of the next request.
    ///
    /// - Parameters:
    ///   - target: as it stands in the request line.
    ///   - content: the body; `nil` when it is not at hand, so that it cannot be hashed.
    func field(
        method: String, target: String, content: Data?
    ) -> (field: HTTPField, answer: Answer)? {
        guard let challenge else {
            let value = "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
            return (HTTPField(name: .proxyAuthorization, value: value), .basic)
        }
        var bodyHash: String?
        if challenge.protection == .authInt {
            guard let content else { return nil }
            bodyHash = Self.hash(Array(content), challenge.algorithm)
        }
        count &+= 1
        let answer = DigestResponse(
            challenge: challenge, username: user, password: password, method: method, uri: target,
            clientNonce: challenge.isSession ? session.client : makeNonce(), session: session, count: count,
            bodyHash: bodyHash, hash: Self.hash)
        return (
            HTTPField(name: .proxyAuthorization, value: answer.fieldValue),
            .digest(nonce: challenge.nonce, isFirst: count == 1)
        )
    }

    /// The proxy has refused a request (407).
    ///
    /// - Parameters:
    ///   - fields: of its response.
    ///   - answer: what the request had shown; `nil` when it could not show anything.
    /// - Returns: whether the same request with another answer may get through.
    func learn(from fields: HTTPFields, after answer: Answer?) -> Bool {
        guard let answer else { return false }
        let challenges = fields[fields: .proxyAuthenticate].flatMap { field in
            var parser = ChallengeParser(field)
            return parser.challenges()
        }
        // Who has asked for a digest gets no password, and no weaker digest either (RFC 7616 §5.8).
        guard let new = DigestChallenge.strongest(of: challenges, notBelow: challenge?.algorithm ?? .md5) else {
            return false
        }
        if case .digest(let nonce, let isFirst) = answer {
            // Another request has been told a newer one meanwhile.
            if nonce != challenge?.nonce { return true }
            // What is refused at its first use, and not because it is old, has the wrong password.
            guard new.isStale || !isFirst else { return false }
        }
        guard new.nonce != challenge?.nonce || count > 0 else { return true }
        challenge = new
        count = 0
        session = DigestResponse.Nonces(server: new.nonce, client: makeNonce())
        return true
    }

    /// In hexadecimal digits. Empty where the system's policy has no such function, so that no proxy takes it.
    private static let hash: @Sendable ([UInt8], DigestAlgorithm) -> String = { bytes, algorithm in
        var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let function = algorithm == .md5 ? EVP_md5() : EVP_sha256()
        guard EVP_Digest(bytes, bytes.count, &hash, &count, function, nil) == 1 else { return "" }
        return hash.prefix(Int(count)).map(\.hexadecimal).joined()
    }
}
