// SPDX-License-Identifier: Apache-2.0

import CStrataSupport

/// The memory in which libcurl has the last field of a handle's response.
///
/// From 7.83.0 to 8.1.0, libcurl still points to this memory when it has freed it. If the first line of the handle's
/// next response is a folded one, libcurl joins it with what it finds there (curl #11103). So the block is kept until
/// there is a newer one.
struct LastField {
    private let store: OpaquePointer
    private let kept: UnsafeMutablePointer<strata_kept>
    private var latest: UnsafeMutableRawPointer?

    /// - Parameter store: where libcurl has its memory; without one nothing can be kept.
    init?(in store: OpaquePointer?) {
        guard let store else { return nil }
        self.store = store
        kept = .allocate(capacity: 1)
        kept.initialize(to: strata_kept())
    }

    /// libcurl hands out the lines of a head as soon as it has their fields in memory.
    mutating func note(_ line: UnsafeRawBufferPointer) {
        let isField = line.count > 2 && !(line[0] == UInt8(ascii: "H") && line.starts(with: "HTTP/".utf8))
        if isField { latest = strata_store_latest(store) }
    }

    /// The response is over.
    ///
    /// - Returns: whether the handle may have another one: not when no field was seen, and libcurl may point elsewhere.
    mutating func keep() -> Bool {
        guard let block = latest.take() else { return false }
        strata_store_give_up(store, kept)
        strata_store_keep(store, kept, block)
        return true
    }

    /// The handle has gone.
    func free() {
        strata_store_give_up(store, kept)
        kept.deallocate()
    }
}
