// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

struct SystemClockTests {
    @Test(arguments: [Duration.seconds(Int64.max), .seconds(1.6e20), .seconds(9_999_999_999)])
    func sleepsForAnyTimeUntilItIsCancelled(duration: Duration) async {
        let sleeper = Task { try await SystemClock().sleep(for: duration) }
        await Task.yield()
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test(.timeLimit(.minutes(10)), arguments: [Duration.zero, .seconds(Int64.min)])
    func returnsWhenThereIsNothingToWaitFor(duration: Duration) async {
        await #expect(throws: Never.self) { try await SystemClock().sleep(for: duration) }
    }
}
