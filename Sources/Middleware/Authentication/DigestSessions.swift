// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

/// The challenges to answer, by origin, and how often each nonce has been used.
final class DigestSessions: Sendable {
    /// The nonces of a challenge and of its first answer: a session keeps them when its server names another one (RFC 7616 §3.4.2).
    struct Nonces: Sendable {
        var server: String
        var client: String
    }

    struct Answer: Sendable {
        var challenge: DigestChallenge
        var clientNonce: String
        var session: Nonces
        var count: UInt32

        init(to challenge: DigestChallenge, nonce: String, count: UInt32) {
            self.challenge = challenge
            clientNonce = nonce
            session = Nonces(server: challenge.nonce, client: nonce)
            self.count = count
        }

        /// Counts one use of the nonce; nil when it is used up.
        mutating func use(makeNonce: () -> String) -> Answer? {
            guard count < .max else { return nil }
            count += 1
            clientNonce = challenge.isSession ? session.client : makeNonce()
            return self
        }
    }

    private let sessions = Mutex<[Origin: Answer]>([:])
    /// Those that have asked for a digest, if only for one that cannot be computed.
    private let origins = Mutex<Set<Origin>>([])

    func noteDigest(of origin: Origin) { origins.withLock { _ = $0.insert(origin) } }

    func hasDigest(of origin: Origin) -> Bool { origins.withLock { $0.contains(origin) } }

    /// The answer for the next request, if the server has challenged before.
    func next(for origin: Origin, makeNonce: () -> String) -> Answer? {
        sessions.withLock { $0[origin]?.use(makeNonce: makeNonce) }
    }

    /// The answer to a challenge. Calls that were challenged at once share the server's nonce, and each use of it has a number of
    /// its own, also after a refusal.
    func answer(to challenge: DigestChallenge, for origin: Origin, makeNonce: () -> String) -> Answer {
        let challenge = challenge.asNew
        return sessions.withLock { sessions in
            if sessions[origin]?.challenge == challenge, let answer = sessions[origin]?.use(makeNonce: makeNonce) {
                return answer
            }
            let answer = Answer(to: challenge, nonce: makeNonce(), count: 1)
            sessions[origin] = answer
            return answer
        }
    }

    /// The next request answers the challenge: this one cannot be sent again.
    func remember(_ challenge: DigestChallenge, for origin: Origin, makeNonce: () -> String) {
        let challenge = challenge.asNew
        sessions.withLock { sessions in
            if sessions[origin]?.challenge == challenge { return }
            sessions[origin] = Answer(to: challenge, nonce: makeNonce(), count: 0)
        }
    }

    /// The server has named the nonce to use from now on, unless another challenge has come meanwhile.
    func rename(_ challenge: DigestChallenge, to nonce: String, for origin: Origin) {
        sessions.withLock { sessions in
            guard var answer = sessions[origin], answer.challenge.nonce == challenge.nonce, nonce != challenge.nonce
            else {
                return
            }
            answer.challenge.nonce = nonce
            answer.count = 0
            sessions[origin] = answer
        }
    }
}

extension DigestChallenge {
    /// What tells challenges apart is the nonce, not why it was named.
    fileprivate var asNew: DigestChallenge {
        var challenge = self
        challenge.isStale = false
        return challenge
    }
}
