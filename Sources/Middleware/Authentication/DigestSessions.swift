// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

/// The challenges that have been answered, by origin, and how often each nonce has been used.
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

        /// Counts one use of the nonce; nil when it is used up.
        mutating func use(makeNonce: () -> String) -> Answer? {
            guard count < .max else { return nil }
            count += 1
            clientNonce = challenge.isSession ? session.client : makeNonce()
            return self
        }
    }

    private let sessions = Mutex<[Origin: Answer]>([:])

    /// The answer for the next request, if the server has challenged before.
    func next(for origin: Origin, makeNonce: () -> String) -> Answer? {
        sessions.withLock { $0[origin]?.use(makeNonce: makeNonce) }
    }

    /// The answer to a challenge. Calls that were challenged at once share the server's nonce, and each use of it has a number of
    /// its own, also after a refusal.
    func answer(to challenge: DigestChallenge, for origin: Origin, makeNonce: () -> String) -> Answer {
        var challenge = challenge
        challenge.isStale = false
        return sessions.withLock { sessions in
            if sessions[origin]?.challenge == challenge, let answer = sessions[origin]?.use(makeNonce: makeNonce) {
                return answer
            }
            let nonce = makeNonce()
            let answer = Answer(
                challenge: challenge, clientNonce: nonce, session: Nonces(server: challenge.nonce, client: nonce),
                count: 1)
            sessions[origin] = answer
            return answer
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
