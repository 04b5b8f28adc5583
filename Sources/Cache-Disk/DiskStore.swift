// SPDX-License-Identifier: Apache-2.0

public import Logging
public import StrataCache
public import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps responses in a folder: an index in a database of SQLite, which has the small bodies too, and files for large ones.
///
///     let store = DiskStore(folder: caches.appending(path: "http"), limit: 256 * 1024 * 1024)
///     configuration.middleware = [CacheMiddleware(store: store)]
///
/// Responses to requests with credentials, or with secrets in their URLs, are kept in memory and never reach the folder, unless
/// `storesPersonalResponses` says so. All files belong to their owner alone (mode 0600).
///
/// Entries are written in the background; ``flush()`` waits for it. When the process ends at any moment, the entries that were
/// being written are missing, and no other. Each body is compared with its hash before it is handed out. Several processes may
/// share a folder. A full disk costs the entries that do not fit, a damaged database all of them: the log has a line about it, and
/// no call fails.
public final class DiskStore: CacheStore {
    /// 256 MiB.
    public static let defaultLimit = 256 * 1024 * 1024

    package let folder: URL
    /// In bytes; what was not used for the longest time goes first.
    package let limit: Int
    /// Whether responses to requests with credentials are kept in the folder too. Default: no.
    package let storesPersonalResponses: Bool
    private let memory: MemoryStore
    private let queue = WriteQueue()
    private let index: SharedIndex

    /// - Parameters:
    ///   - folder: is made when something is stored; nothing else may be in it.
    ///   - limit: in bytes. Default: ``defaultLimit``.
    ///   - storesPersonalResponses: whether responses to requests with credentials are stored too. Default: no.
    ///   - logger: told of what could not be kept or read. Default: one with the label `strata.cache`.
    public init(
        folder: URL, limit: Int = DiskStore.defaultLimit, storesPersonalResponses: Bool = false,
        logger: Logger = Logger(label: "strata.cache")
    ) {
        self.folder = folder
        self.limit = limit
        self.storesPersonalResponses = storesPersonalResponses
        memory = MemoryStore(limit: min(limit, MemoryStore.defaultLimit))
        index = SharedIndex(folder: folder.path, logger: logger)
    }

    // These run on no actor of the caller's: a disk may take its time.

    @_documentation(visibility: internal)
    @concurrent public func entries(for key: CacheKey) async -> [CacheEntry] {
        // In this order: what has left the queue is in the index.
        let waiting = queue.entries(for: key)
        let kept = memory.entries(for: key)
        let now = Date()
        let found = index.read { try $0.entries(for: key, now: now) } ?? EntryIndex.Found()
        if !found.damaged.isEmpty || !found.unnoted.isEmpty {
            enqueue(.note(used: found.unnoted, damaged: found.damaged), cost: 0)
        }
        let newer = waiting + kept
        return newer + found.sound.filter { entry in !newer.contains { $0.isReplaced(by: entry) } }
    }

    @_documentation(visibility: internal)
    public func store(_ entry: CacheEntry, for key: CacheKey) async {
        if entry.isPersonal, !storesPersonalResponses {
            memory.store(entry, for: key)
        } else if entry.cost <= limit {
            enqueue(.store(entry, key), cost: entry.cost)
        }
    }

    @concurrent public func remove(url: String) async {
        memory.remove(url: url)
        queue.removeStores { $0.url == url }
        index.write { try $0.remove(url: url) }
    }

    @_documentation(visibility: internal)
    @concurrent public func remove(_ entry: CacheEntry, for key: CacheKey) async {
        memory.remove(entry, for: key)
        queue.removeStores(of: entry) { $0 == key }
        index.write { try $0.remove(entry, for: key) }
    }

    @concurrent public func removeAll() async {
        memory.removeAll()
        queue.removeStores { _ in true }
        index.write { try $0.removeAll() }
    }

    /// Waits until what was stored before is written.
    @concurrent public func flush() async { while writeNext() {} }

    /// How many responses are kept, and how many bytes they take: those in the folder and those in memory.
    @concurrent public func size() async -> (count: Int, bytes: Int) {
        let stored = index.read { try $0.size() } ?? (count: 0, cost: 0)
        return (stored.count + memory.count, stored.cost + memory.size)
    }

    // MARK: Writing

    private func enqueue(_ operation: WriteQueue.Operation, cost: Int) {
        guard queue.add(operation, cost: cost) else { return }
        Task.detached(priority: .utility) { [self] in
            while writeNext() {}
        }
    }

    /// Carries out what waits for the longest time.
    ///
    /// - Returns: whether there was something.
    private func writeNext() -> Bool {
        // The operation stays in the queue until it is done, where lookups find it, and is chosen with the index at hand, so that
        // none is carried out after a removal that came later.
        index.write { index in
            guard let item = queue.first else { return false }
            switch item.operation {
            case .store(let entry, let key):
                if let body = entry.body.data {
                    try index.store(entry, body, for: key, limit: limit, now: Date())
                } else {
                    try index.update(entry, for: key, now: Date())
                }
            case .note(let used, let damaged):
                try index.noteUse(ofRows: used, now: Date())
                try index.remove(rows: damaged)
            }
            queue.remove(item)
            return true
        } ?? queue.skip()
    }
}

extension DiskStore: DumpedAsDescription {
    public var description: String { "a cache in \(folder.lastPathComponent)" }
}
