// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps the login for as long as the process runs.
public final class MemoryTokenStore: TokenStore {
    private let stored: Mutex<Data?>
    private let turns = Turnstile()

    /// - Parameter token: JSON, as `save(_:)` gets it.
    public init(_ token: Data? = nil) {
        stored = Mutex(token)
    }

    public func load() -> Data? { stored.withLock { $0 } }

    public func save(_ token: Data?) { stored.withLock { $0 = token } }

    public func exclusively<Result: Sendable>(
        _ work: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await turns.pass(work)
    }
}

extension MemoryTokenStore: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: []) }
}
