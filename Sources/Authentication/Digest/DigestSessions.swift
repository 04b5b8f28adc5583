// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

/// The challenges to answer, by origin, and how often each nonce has been used.
final class DigestSessions: Sendable {
    struct Answer: Sendable {
        var challenge: DigestChallenge
        var clientNonce: String
        var session: DigestResponse.Nonces
        var count: UInt32
        /// Whether the server has accepted one with this nonce.
        var isAccepted = false

        init(to challenge: DigestChallenge, nonce: String, count: UInt32) {
            self.challenge = challenge
            clientNonce = nonce
            session = DigestResponse.Nonces(server: challenge.nonce, client: nonce)
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

    /// What one server has asked for.
    private struct Session {
        /// How many challenges of a server are kept: calls that are challenged at the same time may each get one of
        /// their own.
        static let maximumCount = 64

        /// The oldest first.
        var answers: [Answer] = []
        /// The one that requests answer before they are challenged.
        var current: DigestChallenge?
        /// Whether it has asked for a digest, be it one that cannot be computed here.
        var hasDigest = false
        /// The strongest algorithm of an answer that it has accepted.
        var strongest = DigestAlgorithm.md5

        func index(of challenge: DigestChallenge?) -> Int? { answers.lastIndex { $0.challenge == challenge } }

        mutating func add(_ answer: Answer) {
            if answers.count >= Self.maximumCount, let oldest = answers.firstIndex(where: { $0.challenge != current }) {
                answers.remove(at: oldest)
            }
            answers.append(answer)
        }
    }

    private let sessions = Mutex<[Origin: Session]>([:])

    func noteDigest(of origin: Origin) { sessions.withLock { $0[origin, default: Session()].hasDigest = true } }

    func hasDigest(of origin: Origin) -> Bool { sessions.withLock { $0[origin]?.hasDigest == true } }

    /// The weakest algorithm that is still answered. An attacker on the way could ask for a weaker one than the server
    /// takes, to guess the password from the answer (RFC 7616 §5.8).
    func leastAlgorithm(for origin: Origin) -> DigestAlgorithm { sessions.withLock { $0[origin]?.strongest ?? .md5 } }

    /// The answer for the next request, to the challenge whose answer the server accepted last; `nil` when there is none.
    func next(for origin: Origin, makeNonce: () -> String) -> Answer? {
        sessions.withLock { sessions in
            guard let index = sessions[origin]?.index(of: sessions[origin]?.current) else { return nil }
            return sessions[origin]?.answers[index].use(makeNonce: makeNonce)
        }
    }

    /// The answer to a challenge. Calls that were challenged at once share the server's nonce, and each use of it has a number of
    /// its own, also after a refusal.
    func answer(to challenge: DigestChallenge, for origin: Origin, makeNonce: () -> String) -> Answer {
        let challenge = challenge.asNew
        return sessions.withLock { sessions in
            if let index = sessions[origin]?.index(of: challenge) {
                if let answer = sessions[origin]?.answers[index].use(makeNonce: makeNonce) { return answer }
                sessions[origin]?.answers.remove(at: index)
            }
            let answer = Answer(to: challenge, nonce: makeNonce(), count: 1)
            sessions[origin, default: Session()].add(answer)
            return answer
        }
    }

    /// Notes that the server has accepted the answer. The next requests go on with its nonce; if they did so earlier,
    /// they could use it up.
    func accept(_ challenge: DigestChallenge, for origin: Origin) {
        sessions.withLock { sessions in
            guard let index = sessions[origin]?.index(of: challenge),
                sessions[origin]?.answers[index].isAccepted == false
            else {
                return
            }
            sessions[origin]?.answers[index].isAccepted = true
            let strongest = sessions[origin]?.strongest ?? .md5
            sessions[origin]?.strongest = max(strongest, challenge.algorithm)
            sessions[origin]?.current = challenge
        }
    }

    /// Notes a challenge that the next request is to answer, because this request cannot be sent again.
    func remember(_ challenge: DigestChallenge, for origin: Origin, makeNonce: () -> String) {
        let challenge = challenge.asNew
        sessions.withLock { sessions in
            var session = sessions[origin] ?? Session()
            if session.index(of: challenge) == nil {
                session.add(Answer(to: challenge, nonce: makeNonce(), count: 0))
            }
            session.current = challenge
            sessions[origin] = session
        }
    }

    /// Changes the nonce to the one that the server has named for the next requests, unless another challenge has come
    /// meanwhile.
    func rename(_ challenge: DigestChallenge, to nonce: String, for origin: Origin) {
        sessions.withLock { sessions in
            guard nonce != challenge.nonce, let index = sessions[origin]?.index(of: challenge),
                sessions[origin]?.current == challenge, var answer = sessions[origin]?.answers[index]
            else {
                return
            }
            answer.challenge.nonce = nonce
            answer.count = 0
            if sessions[origin]?.index(of: answer.challenge) == nil { sessions[origin]?.add(answer) }
            sessions[origin]?.current = answer.challenge
        }
    }
}

extension DigestChallenge {
    /// The challenge without the mark of a stale nonce: the nonce tells challenges apart, and not the reason for it.
    fileprivate var asNew: DigestChallenge {
        var challenge = self
        challenge.isStale = false
        return challenge
    }
}
