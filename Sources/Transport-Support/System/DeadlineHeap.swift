// SPDX-License-Identifier: Apache-2.0

/// The times at which slots have to be looked at, nearest first: a binary heap that knows the place of each slot.
///
/// An entry is a lower bound. When a slot's deadline moves away, its entry stays: the slot is looked at once too early,
/// and entered again. So a transfer costs nothing here while bytes flow. A transfer that has finished leaves its entry
/// to the next user of its slot.
package struct DeadlineHeap {
    private struct Entry {
        var time: UInt64
        var slot: Int
    }

    private var entries: [Entry] = []
    /// By slot: its index in `entries`, or -1.
    private var places: [Int] = []

    package init() {}

    /// The nearest moment.
    package var first: UInt64? { entries.first?.time }

    /// Makes sure that `slot` comes up at `time` at the latest.
    package mutating func note(_ slot: Int, at time: UInt64) {
        while places.count <= slot { places.append(-1) }
        let place = places[slot]
        if place < 0 {
            entries.append(Entry(time: time, slot: slot))
            places[slot] = entries.count - 1
            rise(entries.count - 1)
        } else if time < entries[place].time {
            entries[place].time = time
            rise(place)
        }
    }

    /// Takes out the nearest slot when its moment is not after `now`.
    package mutating func popDue(at now: UInt64) -> Int? {
        guard let top = entries.first, top.time <= now else { return nil }
        places[top.slot] = -1
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            places[last.slot] = 0
            sink(0)
        }
        return top.slot
    }

    private mutating func rise(_ start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard entries[place].time < entries[parent].time else { return }
            exchange(place, parent)
            place = parent
        }
    }

    private mutating func sink(_ start: Int) {
        var place = start
        while true {
            var least = place
            for child in (2 * place + 1)...(2 * place + 2)
            where child < entries.count && entries[child].time < entries[least].time {
                least = child
            }
            guard least != place else { return }
            exchange(place, least)
            place = least
        }
    }

    private mutating func exchange(_ a: Int, _ b: Int) {
        entries.swapAt(a, b)
        places[entries[a].slot] = a
        places[entries[b].slot] = b
    }
}
