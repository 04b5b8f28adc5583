// SPDX-License-Identifier: Apache-2.0

import StrataTesting
import Testing

@testable import StrataTransportSupport

struct DeadlineHeapTests {
    @Test func bringsUpTheNearestFirst() {
        var heap = DeadlineHeap()
        for (slot, time) in [30, 10, 50, 20, 40].enumerated() { heap.note(slot, at: UInt64(time)) }
        var order: [Int] = []
        while let slot = heap.popDue(at: 45) { order.append(slot) }
        #expect(order == [1, 3, 0, 4])
        #expect(heap.first == 50)
        #expect(heap.popDue(at: 49) == nil)
    }

    @Test func keepsTheEarlierOfTwoMomentsForASlot() {
        var heap = DeadlineHeap()
        heap.note(7, at: 100)
        heap.note(7, at: 200)
        #expect(heap.first == 100)
        heap.note(7, at: 50)
        #expect(heap.first == 50)
        #expect(heap.popDue(at: 50) == 7)
        #expect(heap.first == nil)
    }

    @Test func takesASlotAgainAfterItCameUp() {
        var heap = DeadlineHeap()
        heap.note(0, at: 1)
        #expect(heap.popDue(at: 1) == 0)
        heap.note(0, at: 5)
        #expect(heap.first == 5)
    }

    @Test func agreesWithSortingOnRandomInput() {
        var random = SeededGenerator(seed: 1)
        var heap = DeadlineHeap()
        var times: [Int: UInt64] = [:]
        for _ in 0..<5000 {
            let slot = Int.random(in: 0..<300, using: &random)
            let time = UInt64.random(in: 0..<1_000_000, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                let least = times.min { ($0.value, $0.key) < ($1.value, $1.key) }
                #expect(heap.first == least?.value)
                guard let moment = least?.value, let popped = heap.popDue(at: moment) else { continue }
                #expect(times.removeValue(forKey: popped) == moment)
            } else {
                heap.note(slot, at: time)
                times[slot] = min(time, times[slot] ?? .max)
            }
        }
    }
}
