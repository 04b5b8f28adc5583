// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps the token for as long as the process runs: the default.
public final class MemoryTokenStore: RestTokenStore {
    private let stored: Mutex<RestBearerToken?>

    public init(_ token: RestBearerToken? = nil) {
        stored = Mutex(token)
    }

    public func token() -> RestBearerToken? { stored.withLock { $0 } }

    public func store(_ token: RestBearerToken?) { stored.withLock { $0 = token } }
}
