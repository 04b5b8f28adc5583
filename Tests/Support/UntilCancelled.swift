// SPDX-License-Identifier: Apache-2.0

/// Waits for nothing but the task's cancellation.
package func untilCancelled() async throws -> Never {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
    throw CancellationError()
}
