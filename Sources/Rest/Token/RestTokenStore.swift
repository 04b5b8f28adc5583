// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where the bearer token of ``Rest`` properties is kept.
///
/// What it throws is the request's failure, as ``RestQueryError/other(_:)``.
public protocol RestTokenStore: Sendable {
    /// The stored token, `nil` when there is none.
    func token() throws -> RestBearerToken?
    /// Replaces the stored token; `nil` removes it.
    func store(_ token: RestBearerToken?) throws
}

/// Keeps the token for as long as the process runs: the default.
public final class MemoryTokenStore: RestTokenStore {
    private let stored: Mutex<RestBearerToken?>

    public init(_ token: RestBearerToken? = nil) {
        stored = Mutex(token)
    }

    public func token() -> RestBearerToken? { stored.withLock { $0 } }

    public func store(_ token: RestBearerToken?) { stored.withLock { $0 = token } }
}
