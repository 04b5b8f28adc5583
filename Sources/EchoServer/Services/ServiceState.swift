// SPDX-License-Identifier: Apache-2.0

import Crypto
import Synchronization

/// What the routes that play a service remember of earlier requests: one for each server.
final class ServiceState: Sendable {
    /// How many requests each key of `/sequence` has had.
    let sequences = Mutex<[String: Int]>([:])
    let signIns = Mutex(SignIns())
    let uploads = Mutex<[Upload]>([])

    /// Codes and tokens that were given out, in the order in which they were.
    struct SignIns: Sendable {
        /// How often a token was asked for, by device code.
        var polls: [String: Int] = [:]
        var refreshTokens: Set<String> = []
        /// For how many requests an access token is good; `nil` for any number.
        var accessTokens: [String: Int?] = [:]
        private var count = 0

        /// A name that was not given out before.
        mutating func next(_ prefix: String) -> String {
            count += 1
            return "\(prefix)-\(count)"
        }

        /// Whether the token is good, for which this request counts.
        mutating func admits(_ token: String) -> Bool {
            guard let entry = accessTokens[token] else { return false }
            guard let left = entry else { return true }
            accessTokens[token] = .some(left - 1)
            return left > 0
        }
    }

    /// An upload that goes on where it broke off. Its bytes are counted and hashed, and not kept.
    struct Upload: Sendable {
        let size: Int
        var offset = 0
        var hash = SHA256()
        /// The connection breaks when this many bytes have arrived; once.
        var dropAfter: Int?
    }
}
