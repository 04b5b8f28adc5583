// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport

/// One who has to be looked at at some moment. All is called under the loop's lock.
protocol TimerOwner: AnyObject {
    /// The moment has come, or an earlier one. Who wants to be looked at again says so.
    func timeIsUp(_ engine: Engine)
}

/// Who is looked at when. Times are in nanoseconds.
struct Timers {
    private var heap = DeadlineHeap()
    private var owners: [(any TimerOwner)?] = []
    private var free: [Int] = []

    /// The nearest moment.
    var next: UInt64? { heap.first }

    /// A slot for `owner`, until ``remove(_:)``.
    mutating func insert(_ owner: any TimerOwner) -> Int {
        if let slot = free.popLast() {
            owners[slot] = owner
            return slot
        }
        owners.append(owner)
        return owners.count - 1
    }

    mutating func remove(_ slot: Int) {
        owners[slot] = nil
        free.append(slot)
    }

    /// Makes sure that the owner of `slot` is looked at at `time` at the latest.
    mutating func note(_ slot: Int, at time: UInt64) {
        if time != .max { heap.note(slot, at: time) }
    }

    /// Takes out one whose moment is not after `now`.
    mutating func popDue(at now: UInt64) -> (any TimerOwner)? {
        while let slot = heap.popDue(at: now) {
            if let owner = owners[slot] { return owner }
        }
        return nil
    }

    /// All who have a slot.
    var all: [any TimerOwner] { owners.compactMap { $0 } }
}
