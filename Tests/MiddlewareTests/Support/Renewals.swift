// SPDX-License-Identifier: Apache-2.0

import Foundation
import MiddlewareSupport
import StrataMiddleware
import Synchronization

/// A store with a refused token that counts its renewals.
final class Renewals: Sendable {
    private let count = Mutex(0)
    var number: Int { count.withLock { $0 } }

    func store(
        expiry: Date? = nil, renewAhead: Duration = .zero, initial: String? = Secret.token,
        _ body: @escaping @Sendable (Credential?) async throws -> Credential = { _ in
            Credential(token: Secret.freshToken)
        }
    ) -> CredentialStore {
        CredentialStore(initial.map { Credential(token: $0, expiry: expiry) }, renewAhead: renewAhead) { [self] in
            count.withLock { $0 += 1 }
            return try await body($0)
        }
    }

    /// One whose renewals wait at the gate.
    func store(behind gate: Gate) -> CredentialStore {
        store { _ in
            await gate.pass()
            return Credential(token: Secret.freshToken)
        }
    }
}
