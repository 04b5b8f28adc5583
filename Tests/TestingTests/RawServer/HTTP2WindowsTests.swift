// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataTesting

struct HTTP2WindowsTests {
    private func increment(_ count: UInt32, stream: UInt32) -> HTTP2Frame {
        HTTP2Frame(.windowUpdate, stream: stream, payload: HTTP2Frame.bytes(of: count))
    }

    /// Takes all that there is.
    private func takeAll(from windows: inout HTTP2Windows, on stream: UInt32) -> Int {
        var sum = 0
        while true {
            let count = windows.take(.max, on: stream)
            if count == 0 { return sum }
            sum += count
        }
    }

    @Test func aFrameTakesNoMoreThanItMay() {
        var windows = HTTP2Windows()
        let counts = [windows.take(.max, on: 1), windows.take(5, on: 1)]
        #expect(counts == [16_384, 5])
    }

    @Test func streamsShareTheWindowOfTheirConnection() {
        var windows = HTTP2Windows()
        let first = takeAll(from: &windows, on: 1)
        windows.note(increment(10, stream: 0))
        let others = [takeAll(from: &windows, on: 1), takeAll(from: &windows, on: 3)]
        windows.note(increment(7, stream: 1))
        windows.note(increment(9, stream: 0))
        let again = takeAll(from: &windows, on: 1)
        #expect(first == 65_535)
        #expect(others == [0, 10])
        #expect(again == 7)
    }

    @Test func aChangeOfSettingsHoldsForOpenStreamsToo() {
        var windows = HTTP2Windows()
        windows.note(increment(1 << 20, stream: 0))
        let first = takeAll(from: &windows, on: 1)
        // SETTINGS_MAX_FRAME_SIZE and then SETTINGS_INITIAL_WINDOW_SIZE, once less than was sent and once more.
        windows.note(HTTP2Frame(.settings, payload: [0, 5, 0, 1, 0, 0, 0, 4, 0, 0, 0, 100]))
        let blocked = takeAll(from: &windows, on: 1)
        windows.note(HTTP2Frame(.settings, payload: [0, 4, 0, 1, 0, 1]))
        let more = [takeAll(from: &windows, on: 1), takeAll(from: &windows, on: 3)]
        #expect(first == 65_535)
        #expect(blocked == 0)
        #expect(more == [2, 65_537])
    }
}
