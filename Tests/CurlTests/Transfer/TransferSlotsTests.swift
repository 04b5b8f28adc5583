// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import Testing

@testable import StrataCurl

struct TransferSlotsTests {
    /// Under AddressSanitizer this also shows that nothing looks at a transfer after its end.
    @Test func dropsTransfersBeyondThoseKept() throws {
        let options = HandleOptions(CurlTransport.Configuration()) { _ in nil }
        let multi = try #require(curl_multi_init())
        let queue = try #require(EventQueue(multi: multi))
        let engine = LoopEngine(multi: multi, queue: queue, inbox: Inbox(), watch: LoopWatch(), options: options)
        var made = 0
        func make(_ slot: Int) -> Transfer? {
            made += 1
            return Transfer(slot: slot, engine: engine, options: options, memory: engine.memory)
        }
        defer { withExtendedLifetime(engine) {} }
        var slots = TransferSlots()
        // As the loop has them: the slots alone hold them.
        let transfers = (0..<1030).compactMap { _ in slots.take(orMake: make).map { Unmanaged.passUnretained($0) } }
        for transfer in transfers { transfer._withUnsafeGuaranteedRef { slots.giveBack($0) } }
        #expect(made == 1030)
        let numbers = Set((0..<1030).compactMap { _ in slots.take(orMake: make)?.slot })
        #expect(numbers.count == 1030)
        #expect(made == 1036)
    }
}
