// SPDX-License-Identifier: Apache-2.0

/// A value behind a reference: it is handed from layer to layer without being copied, and copied when one of several owners
/// changes it.
@usableFromInline
struct CopyOnWrite<Value: Sendable>: Sendable {
    @usableFromInline
    final class Storage: @unchecked Sendable {
        // Sendability and exclusivity are unchecked because only a sole owner changes the value.
        @exclusivity(unchecked) @usableFromInline var value: Value

        @inlinable
        init(_ value: Value) { self.value = value }
    }

    @usableFromInline var storage: Storage

    @inlinable
    init(_ value: Value) { storage = Storage(value) }

    @inlinable var value: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }
}
