// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

/// What a cache has under way: exchanges that several calls share, confirmations in the background, and the memory of bodies that
/// are not whole yet.
final class Flights: Sendable {
    private struct State {
        var shared: [CacheKey: SharedResult<Outcome>] = [:]
        var revalidations: Set<CacheKey> = []
        var recordedBytes = 0
    }

    private let state = Mutex(State())

    /// What a shared exchange has led to.
    enum Outcome: Sendable {
        case stored(CacheEntry)
        /// Nothing that others may use.
        case unusable
        /// The call that made it was cancelled.
        case abandoned
    }

    /// The exchange for the key, and whether the caller is the one who makes it.
    func join(_ key: CacheKey) -> (flight: SharedResult<Outcome>, isFirst: Bool) {
        state.withLock { state in
            if let flight = state.shared[key] { return (flight, false) }
            let flight = SharedResult<Outcome>()
            state.shared[key] = flight
            return (flight, true)
        }
    }

    func end(_ key: CacheKey, _ flight: SharedResult<Outcome>, with outcome: Outcome) {
        state.withLock { $0.shared[key] = nil }
        flight.finish(.success(outcome))
    }

    /// Whether nobody else asks the server about it already.
    func beginRevalidation(of key: CacheKey) -> Bool { state.withLock { $0.revalidations.insert(key).inserted } }

    func endRevalidation(of key: CacheKey) { state.withLock { _ = $0.revalidations.remove(key) } }

    /// Whether so many bytes more may be held.
    func reserve(_ bytes: Int, limit: Int) -> Bool {
        state.withLock { state in
            guard state.recordedBytes + bytes <= limit else { return false }
            state.recordedBytes += bytes
            return true
        }
    }

    func release(_ bytes: Int) { state.withLock { $0.recordedBytes -= bytes } }
}
