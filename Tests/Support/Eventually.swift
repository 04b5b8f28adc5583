// SPDX-License-Identifier: Apache-2.0

public import Testing

/// Lets other tasks run until the condition holds. When it does not within ten minutes in which they had their turns, that is an
/// issue, and the test goes on.
///
/// A suite's time limit only cancels a test, which a loop over `Task.yield()` does not heed.
///
///     await eventually { source.isCancelled }
public func eventually(
    _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async {
    let start = ContinuousClock.now
    var turns = 0
    while !condition() {
        // Tests that compute for long hold all threads, and after a single turn that time may be over.
        guard turns < 10_000 || start.duration(to: .now) < .seconds(600) else {
            Issue.record(comment ?? "what was waited for did not happen", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
        turns += 1
    }
}
