// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// What is wrong with a value that a builder was given. Builders do not throw: sending does.
struct ValueFailure: Hashable, Sendable, Error {
    let error: NetworkClientError

    init(_ error: NetworkClientError) { self.error = error }

    init(_ what: String, _ error: any Error) {
        self.error = (error as? ValueFailure)?.error ?? .encodingFailed(what, cause: error)
    }

    static func == (left: ValueFailure, right: ValueFailure) -> Bool { left.error.message == right.error.message }

    func hash(into hasher: inout Hasher) { hasher.combine(error.message) }
}
