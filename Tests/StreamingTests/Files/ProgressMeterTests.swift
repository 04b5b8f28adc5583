// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

@testable import StrataStreaming

/// The rate over the last seconds, at the limits of its window.
struct ProgressMeterTests {
    /// Milliseconds and the bytes that have come since the one before; the rate after the last.
    @Test(
        arguments: [
            ([(1000, 100)], 100), ([(500, 100)], 200), ([(1000, 100), (2000, 300)], 200),
            // The window has three seconds: at the last moment the first sample counts still.
            ([(1000, 1000), (3999, 2999)], 1000), ([(1000, 1000), (4000, 3000)], 1000),
            ([(1000, 4000), (4000, 3000)], 1000), ([(1000, 4000), (3000, 2000), (5000, 4000)], 1500),
            ([(0, 100)], 0),
        ] as [([(Int, Int)], Double)])
    func theRateIsTheMeanOfTheWindow(_ samples: [(Int, Int)], _ rate: Double) {
        var meter = ProgressMeter()
        meter.begin(completed: 50, total: nil, now: .zero)
        for (time, bytes) in samples {
            meter.advance(by: Int64(bytes))
            meter.measure(now: .milliseconds(time))
        }
        #expect(abs(meter.progress.bytesPerSecond - rate) < 0.001)
    }

    /// A sample that is closer to the one before than 50 milliseconds takes the place of the newest.
    @Test(arguments: [(49, 3), (50, 4), (51, 4)]) func samplesThatAreKeptAreApart(_ milliseconds: Int, _ count: Int) {
        var meter = ProgressMeter()
        meter.begin(completed: 0, total: nil, now: .zero)
        for time in [100, 100 + milliseconds / 2, 100 + milliseconds] {
            meter.advance(by: 10)
            meter.measure(now: .milliseconds(time))
        }
        #expect(meter.samples.count == count)
        #expect(meter.samples.map(\.bytes).last == 30 && meter.progress.completed == 30)
    }

    @Test(arguments: [
        (0, 10, 0.0), (5, 10, 0.5), (10, 10, 1), (11, 10, 1), (0, 0, 1), (0, 1, 0), (1, 1, 1), (1, 2, 0.5),
    ])
    func theFractionIsNoMoreThanOne(_ completed: Int64, _ total: Int64, _ fraction: Double) {
        #expect(TransferProgress(completed: completed, total: total).fraction == fraction)
    }

    @Test func theRestTakesItsTimeAtThisRate() {
        #expect(TransferProgress(completed: 4, total: 10, bytesPerSecond: 2).remaining == .seconds(3))
        #expect(TransferProgress(completed: 10, total: 10, bytesPerSecond: 2).remaining == .zero)
        #expect(TransferProgress(completed: 4, total: 10, bytesPerSecond: -1).remaining == nil)
        #expect(TransferProgress(completed: 4, bytesPerSecond: 2).remaining == nil)
    }
}
