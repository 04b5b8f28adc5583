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
        /// Exchanges by URL, and how often that was changed while there were some.
        var pending: [String: (count: Int, changes: Int)] = [:]
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
        state.withLock { if $0.shared[key] === flight { $0.shared[key] = nil } }
        flight.finish(.success(outcome))
    }

    /// What exchanges under way bring may be from before the change: nothing of it is stored, and no later call shares them.
    func noteChange(of url: String) {
        state.withLock { state in
            state.pending[url]?.changes += 1
            for key in state.shared.keys where key.url == url { state.shared[key] = nil }
        }
    }

    fileprivate func begin(_ url: String) -> Int {
        state.withLock { state in
            state.pending[url, default: (0, 0)].count += 1
            return state.pending[url]?.changes ?? 0
        }
    }

    fileprivate func end(_ url: String) {
        state.withLock { state in
            guard let pending = state.pending[url] else { return }
            state.pending[url] = pending.count > 1 ? (pending.count - 1, pending.changes) : nil
        }
    }

    fileprivate func changes(of url: String) -> Int? { state.withLock { $0.pending[url]?.changes } }

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

/// What an exchange may bring into the store, from before its request is sent until that is stored or given up.
final class PendingEntry: Sendable {
    private let url: String
    private let flights: Flights
    private let changes: Int

    init(url: String, in flights: Flights) {
        self.url = url
        self.flights = flights
        changes = flights.begin(url)
    }

    deinit { flights.end(url) }

    /// Whether a request has changed the resource since: what was asked for before may be what it was then.
    var isOutdated: Bool { flights.changes(of: url) != changes }
}
