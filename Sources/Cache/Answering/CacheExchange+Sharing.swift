// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Synchronization

extension CacheExchange {
    /// Makes the exchange for all calls that want the same now, or waits for the one that another call makes.
    func share(_ reason: CacheStatus.Forward, about entry: CacheEntry?, next: Next) async throws -> TransportResponse {
        while true {
            let (flight, isFirst) = cache.flights.join(key)
            if isFirst { return try await lead(flight, reason, about: entry, next: next) }
            switch try await flight.value(within: request.call?.remaining) {
            case .stored(let shared) where isUsable(shared):
                return try await serve(shared, as: .collapsed, at: clock.date, next: next)
            case .abandoned: continue
            case .stored, .unusable: return try await fetch(reason, about: entry, next: next)
            }
        }
    }

    /// What another's exchange has stored since this call has looked.
    private func later() async -> CacheEntry? {
        Self.latest(of: await cache.store.entries(for: key), matching: request.head.headerFields)
    }

    private func isUsable(_ entry: CacheEntry) -> Bool {
        entry.variation.matches(request.head.headerFields)
            && request.options.maximumResponseBytes.map { entry.body.length <= Int64($0) } ?? true
    }

    private func lead(
        _ flight: SharedResult<Flights.Outcome>, _ reason: CacheStatus.Forward, about entry: CacheEntry?, next: Next
    ) async throws -> TransportResponse {
        let outcome = Mutex(Flights.Outcome.unusable)
        defer { cache.flights.end(key, flight, with: outcome.withLock { $0 }) }
        do {
            let entry = await later() ?? entry
            if let entry, case .fresh = use(of: entry, at: clock.date) {
                outcome.withLock { $0 = .stored(entry) }
                return try await serve(entry, as: .hit, at: clock.date, next: next)
            }
            return try await fetch(reason, about: entry, next: next) { shared in
                outcome.withLock { $0 = .stored(shared) }
            }
        } catch {
            if error is CancellationError { outcome.withLock { $0 = .abandoned } }
            throw error
        }
    }
}
