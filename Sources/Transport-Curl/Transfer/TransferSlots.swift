// SPDX-License-Identifier: Apache-2.0

/// The transfers of a loop by number, by which exchanges and deadlines refer to them.
///
/// Nobody else holds a transfer. libcurl's callbacks are given the object unretained: it lives as long as its handle, and
/// is dropped only when that carries nothing.
struct TransferSlots {
    private var slots: [Transfer?] = []
    private var free: [Int] = []

    /// Handles kept for later; more are dropped after use.
    private static let kept = 1024

    /// The transfer in a slot, while it carries an exchange.
    func busy(at slot: Int) -> Transfer? {
        guard slots.indices.contains(slot), let transfer = slots[slot], transfer.exchange != nil else { return nil }
        return transfer
    }

    var allBusy: [Transfer] { slots.indices.compactMap { busy(at: $0) } }

    /// An idle transfer: the one used last, whose memory is warm, or a new one.
    mutating func take(orMake make: (_ slot: Int) -> Transfer?) -> Transfer? {
        let slot = free.popLast() ?? slots.count
        if slot == slots.count { slots.append(nil) }
        if let transfer = slots[slot] { return transfer }
        guard let transfer = make(slot) else {
            free.append(slot)
            return nil
        }
        slots[slot] = transfer
        return transfer
    }

    /// - Parameter isReusable: whether its handle may carry another exchange.
    mutating func giveBack(_ transfer: Transfer, isReusable: Bool = true) {
        transfer.end()
        free.append(transfer.slot)
        // Last, since nobody else may hold the transfer.
        if !isReusable || free.count > Self.kept { slots[transfer.slot] = nil }
    }
}
