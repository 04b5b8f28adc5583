// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import Synchronization

/// Keeps responses in memory, as many bytes as the limit says; those that were not used for the longest time go first.
///
///     let store = MemoryStore(limit: 16 * 1024 * 1024)
///     configuration.middleware = [CacheMiddleware(store: store)]
///     …
///     store.removeAll()
public final class MemoryStore: CacheStore {
    /// 64 MiB.
    public static let defaultLimit = 64 * 1024 * 1024

    /// In bytes, fields and some for the store's own account included.
    package let limit: Int
    private let state: Mutex<State>

    fileprivate struct State {
        var slots: [CacheKey: [Slot]] = [:]
        var keys: [String: Set<CacheKey>] = [:]
        var cost = 0
        /// The first in it was used last.
        let order = UsageList()
    }

    fileprivate struct Slot {
        let entry: CacheEntry
        let node: UsageList.Node
    }

    public init(limit: Int = MemoryStore.defaultLimit) {
        self.limit = limit
        state = Mutex(State())
    }

    /// How many bytes it holds now.
    public var size: Int { state.withLock(\.cost) }

    /// How many responses it holds.
    public var count: Int { state.withLock { $0.slots.values.reduce(0) { $0 + $1.count } } }

    @_documentation(visibility: internal)
    public func entries(for key: CacheKey) -> [CacheEntry] {
        state.withLock { state in
            guard let slots = state.slots[key] else { return [] }
            for slot in slots { state.order.moveToFront(slot.node) }
            return slots.map(\.entry)
        }
    }

    @_documentation(visibility: internal)
    public func store(_ entry: CacheEntry, for key: CacheKey) {
        let cost = entry.cost
        // What goes is released outside of the lock.
        let removed: [Slot] = state.withLock { state in
            var removed = state.take(entry, for: key)
            guard cost <= limit else { return removed }
            let node = state.order.insert(key: key, cost: cost)
            state.slots[key, default: []].append(Slot(entry: entry, node: node))
            state.keys[key.url, default: []].insert(key)
            state.cost += cost
            while state.cost > limit, let last = state.order.last {
                removed += state.take(where: { $0 === last }, for: last.key)
            }
            return removed
        }
        _ = removed
    }

    public func remove(url: String) {
        _ = state.withLock { state in
            (state.keys[url] ?? []).flatMap { state.take(where: { _ in true }, for: $0) }
        }
    }

    @_documentation(visibility: internal)
    public func remove(_ entry: CacheEntry, for key: CacheKey) {
        _ = state.withLock { $0.take(entry, for: key) }
    }

    public func removeAll() {
        _ = state.withLock { state in
            defer { state = State() }
            return state.slots
        }
    }
}

extension MemoryStore.State {
    /// Takes out the entry that another one replaces.
    fileprivate mutating func take(_ entry: CacheEntry, for key: CacheKey) -> [MemoryStore.Slot] {
        guard let slot = slots[key]?.first(where: { $0.entry.isReplaced(by: entry) }) else { return [] }
        return take(where: { $0 === slot.node }, for: key)
    }

    fileprivate mutating func take(
        where condition: (UsageList.Node) -> Bool, for key: CacheKey
    ) -> [MemoryStore.Slot] {
        guard let all = slots[key] else { return [] }
        let taken = all.filter { condition($0.node) }
        let kept = all.filter { !condition($0.node) }
        slots[key] = kept.isEmpty ? nil : kept
        if kept.isEmpty {
            keys[key.url]?.remove(key)
            if keys[key.url]?.isEmpty == true { keys[key.url] = nil }
        }
        for slot in taken {
            order.remove(slot.node)
            cost -= slot.node.cost
        }
        return taken
    }
}

extension MemoryStore: DumpedAsDescription {
    /// `12 responses, 34567 bytes`.
    public var description: String { "\(count) responses, \(size) bytes" }
}

/// Entries in the order of their use: a list that is linked both ways, so that each change takes the same short time.
///
/// Unchecked, because the lock of its store guards it.
final class UsageList: @unchecked Sendable {
    final class Node: @unchecked Sendable {
        let key: CacheKey
        let cost: Int
        fileprivate var next: Node?
        fileprivate unowned(unsafe) var previous: Node?

        init(key: CacheKey, cost: Int) {
            self.key = key
            self.cost = cost
        }
    }

    private var first: Node?
    private(set) unowned(unsafe) var last: Node?

    deinit {
        // One by one: a long list that ends at once would end in as many nested calls.
        while let node = first { first = node.next.take() }
    }

    func insert(key: CacheKey, cost: Int) -> Node {
        let node = Node(key: key, cost: cost)
        link(node)
        return node
    }

    func moveToFront(_ node: Node) {
        if node === first { return }
        remove(node)
        link(node)
    }

    func remove(_ node: Node) {
        let (previous, next) = (node.previous, node.next)
        if let previous { previous.next = next } else { first = next }
        if let next { next.previous = previous } else { last = previous }
        node.next = nil
        node.previous = nil
    }

    private func link(_ node: Node) {
        node.next = first
        if let first { first.previous = node } else { last = node }
        first = node
    }
}
