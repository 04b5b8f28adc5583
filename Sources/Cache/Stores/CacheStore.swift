// SPDX-License-Identifier: Apache-2.0

/// Where a ``CacheMiddleware`` keeps responses: ``MemoryStore``, the `DiskStore` of `StrataDiskCache`, or one of your own.
///
/// A store does what it can and never fails: what it cannot read is not there, what it cannot write is not kept. Several calls
/// may come at the same time. It holds whole responses only, and decides for itself which of them have to go.
public protocol CacheStore: Sendable {
    /// The entries under a key: one for each of the requests that the `Vary` of their responses tells apart.
    func entries(for key: CacheKey) async -> [CacheEntry]

    /// Keeps an entry, in the place of the one that it replaces (``CacheEntry/isReplaced(by:)``). Returns soon: a store that is
    /// slow writes on after it, and gives up what it cannot keep up with.
    func store(_ entry: CacheEntry, for key: CacheKey) async

    /// Removes the entries of a URL, under all of its keys.
    func remove(url: String) async

    /// Removes one entry: the one that `entry` would replace.
    func remove(_ entry: CacheEntry, for key: CacheKey) async

    func removeAll() async
}
