// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore
public import StrataMiddleware

/// Answers digest challenges (RFC 7616) with a user name and a password that are never sent themselves.
///
/// The first request to a server is refused with a challenge and sent again with the answer. Later requests carry an
/// answer at once, with the same nonce and the next count, or with the nonce that the server has named for them.
///
/// It knows MD5, SHA-256 and their session variants, `auth`, `auth-int` (for which a body is read
/// twice) and hashed user names. Of several challenges the strongest is answered. Once a server has accepted an answer
/// by a stronger algorithm, a challenge that knows weaker ones alone is not answered: its 401 is handed up.
///
/// Where the server proves that it knows the password, too (`rspauth` in `Authentication-Info`, RFC 7616 §3.5), the
/// proof is checked. A wrong one fails the call with `NetworkClientError.Code.protocolViolation`: before its body is
/// read or, with `auth-int`, at its end, unless a content coding was undone, under which the body cannot be hashed.
///
/// The 401 is handed up when the answer to a fresh challenge is refused, which means wrong credentials, when there is
/// no challenge that can be answered, and when the body cannot be sent again; then the next request answers the
/// challenge.
///
/// The bytes of name and password are taken unchanged. To have them in Normalization Form C (RFC 7616 §4), call
/// Foundation's `precomposedStringWithCanonicalMapping` on them.
///
/// Place: inside redirects, retries, and whatever changes the URL, which is part of what is signed.
public struct DigestAuthMiddleware: NetworkMiddleware {
    package let origins: OriginPolicy
    /// Whether the password may be sent as it is to a server that asks for Basic, and has never asked for a digest. Default:
    /// no.
    package let allowsBasic: Bool
    private let username: String
    private let password: Hidden<String>
    private let makeNonce: @Sendable () -> String
    private let sessions = DigestSessions()

    /// - `nonce`: makes a client nonce; by default 128 random bits.
    public init(
        username: String, password: String, origins: OriginPolicy = .baseURL, allowsBasic: Bool = false,
        nonce: @escaping @Sendable () -> String = { Self.randomNonce() }
    ) {
        self.username = username
        self.password = Hidden(password)
        self.origins = origins
        self.allowsBasic = allowsBasic
        makeNonce = nonce
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        var placement = MiddlewarePlacement.authentication(repeatsRequests: true)
        placement.rules.append(.inside(.urlDecoration, because: "the answer would cover another URL than the one sent"))
        return placement
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        guard try origins.allows(request, for: "DigestAuthMiddleware"), let origin = request.origin else {
            return try await next(request)
        }
        var answer = sessions.next(for: origin, makeNonce: makeNonce)
        var isFresh = false
        for _ in 0..<2 {
            let response = try await send(request, with: answer, to: origin, next: next)
            guard response.head.status == .unauthorized else { return response }
            let challenges = response.head.headerFields.challenges
            if challenges.contains(where: { $0.isScheme("Digest") }) { sessions.noteDigest(of: origin) }
            let least = sessions.leastAlgorithm(for: origin)
            if let challenge = DigestChallenge.strongest(of: challenges, notBelow: least) {
                if isFresh, !challenge.isStale { return response }
                guard request.body.isReplayable else {
                    sessions.remember(challenge, for: origin, makeNonce: makeNonce)
                    return response
                }
                answer = sessions.answer(to: challenge, for: origin, makeNonce: makeNonce)
                isFresh = true
            } else if allowsBasic, request.body.isReplayable, challenges.contains(where: { $0.isScheme("Basic") }),
                // Otherwise an attacker on the way could remove the digest challenges, and get the password (RFC 7616
                // §5.8).
                !sessions.hasDigest(of: origin)
            {
                await response.body.discard()
                request.call?.nextAttempt(.other("challenge answered"))
                let value = try BasicAuthMiddleware.fieldValue(username: username, password: password.value)
                return try await next(request.setting(.authorization, to: value))
            } else {
                return response
            }
            await response.body.discard()
            request.call?.nextAttempt(.other("challenge answered"))
        }
        return try await send(request, with: answer, to: origin, next: next)
    }

    private func send(
        _ request: TransportRequest, with answer: DigestSessions.Answer?, to origin: Origin, next: Next
    ) async throws -> TransportResponse {
        guard let answer else { return try await next(request) }
        var bodyHash: String?
        if answer.challenge.protection == .authInt {
            guard request.body.isReplayable else { return try await next(request) }
            bodyHash = try await Self.hash(bodyOf: request, by: answer.challenge.algorithm)
        }
        let digest = DigestResponse(
            challenge: answer.challenge, username: username, password: password.value,
            method: request.head.method.rawValue,
            uri: request.head.path ?? "/", clientNonce: answer.clientNonce, session: answer.session,
            count: answer.count, bodyHash: bodyHash, hash: DigestHasher.hash(_:by:))
        var response = try await next(request.setting(.authorization, to: digest.fieldValue))
        var parser = ChallengeParser(response.head.headerFields[.authenticationInfo] ?? "")
        let information = parser.parameters()
        if response.head.status != .unauthorized {
            if let proof = information["rspauth"] { try DigestProof(digest, proof).check(&response) }
            if !answer.isAccepted { sessions.accept(answer.challenge, for: origin) }
        }
        if let nonce = information["nextnonce"], !nonce.isEmpty {
            sessions.rename(answer.challenge, to: nonce, for: origin)
        }
        return response
    }

    /// Off the caller's actor, for a file may be large; the call may end between two pieces.
    @concurrent private static func hash(
        bodyOf request: TransportRequest, by algorithm: DigestAlgorithm
    ) async throws -> String {
        var hasher = DigestHasher(algorithm)
        let source = try request.body.makeSource()
        defer { source.cancel() }
        while let piece = try await source.next() {
            try Task.checkCancellation()
            try request.call?.checkDeadline(of: request)
            hasher.update(piece)
        }
        return hasher.finalize()
    }

    @usableFromInline
    static func randomNonce() -> String { DigestResponse.randomNonce() }
}
