// SPDX-License-Identifier: Apache-2.0

import StrataCache
import Synchronization

/// What a store has taken in and not written yet.
final class WriteQueue: Sendable {
    enum Operation: Sendable {
        case store(CacheEntry, CacheKey)
        /// Rows that were used, and rows that cannot be.
        case note(used: [Int64], damaged: [Int64])
    }

    struct Item: Sendable {
        let number: Int
        let operation: Operation
        let cost: Int
    }

    private struct State {
        var items: [Item] = []
        var added = 0
        var cost = 0
        var isWriting = false
    }

    /// How many bytes wait at most. What comes beyond is not kept: the disk is too slow for it.
    private static let limit = 64 * 1024 * 1024

    private let state = Mutex(State())

    /// - Returns: whether somebody has to begin to write.
    func add(_ operation: Operation, cost: Int) -> Bool {
        state.withLock { state in
            guard state.cost + cost <= Self.limit, state.items.count < 100_000 else { return false }
            state.added += 1
            state.items.append(Item(number: state.added, operation: operation, cost: cost))
            state.cost += cost
            defer { state.isWriting = true }
            return !state.isWriting
        }
    }

    /// Nobody writes any more when this is `nil`.
    var first: Item? {
        state.withLock { state in
            if state.items.isEmpty { state.isWriting = false }
            return state.items.first
        }
    }

    /// Takes out what is done. It may have been taken out meanwhile.
    func remove(_ item: Item) {
        state.withLock { state in
            guard let index = state.items.firstIndex(where: { $0.number == item.number }) else { return }
            state.items.remove(at: index)
            state.cost -= item.cost
        }
    }

    /// Gives up what cannot be written.
    ///
    /// - Returns: whether there is more.
    func skip() -> Bool {
        if let first { remove(first) }
        return first != nil
    }

    /// The latest entries of a key.
    func entries(for key: CacheKey) -> [CacheEntry] {
        let waiting = state.withLock { state in
            state.items.compactMap { item in
                if case .store(let entry, key) = item.operation { entry } else { nil }
            }
        }
        return waiting.indices.filter { index in
            !waiting[(index + 1)...].contains { waiting[index].isReplaced(by: $0) }
        }.map { waiting[$0] }
    }

    /// Takes out the entries of keys, or of those the ones that `entry` would replace.
    func removeStores(of entry: CacheEntry? = nil, where condition: (CacheKey) -> Bool) {
        let removed = state.withLock { state in
            let isRemoved = { (item: Item) in
                guard case .store(let stored, let key) = item.operation else { return false }
                return condition(key) && entry.map { stored.isReplaced(by: $0) } ?? true
            }
            let removed = state.items.filter(isRemoved)
            state.items.removeAll(where: isRemoved)
            state.cost -= removed.reduce(0) { $0 + $1.cost }
            return removed
        }
        _ = removed
    }
}
