// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Marks the tasks in which a store's source or provider is at work. Tasks that these start inherit the mark, and may outlive
/// the work.
final class RenewalMark: Sendable {
    private let store: ObjectIdentifier
    /// The mark of another store's work, in the course of which this store was asked.
    private let outer: RenewalMark?
    private let isOver = Atomic(false)

    init(_ store: CredentialStore, inside outer: RenewalMark?) {
        self.store = ObjectIdentifier(store)
        self.outer = outer
    }

    func end() { isOver.store(true, ordering: .relaxed) }

    func holds(_ store: CredentialStore) -> Bool {
        (self.store == ObjectIdentifier(store) && !isOver.load(ordering: .relaxed)) || outer?.holds(store) == true
    }
}
