// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import Synchronization

/// The progress of one transfer, as a sequence to loop over while the transfer runs.
///
///     let updates = ProgressUpdates()
///     async let file = client.download(request, to: url, progress: updates)
///     for await progress in updates { bar.show(progress.fraction) }
///     print(try await file.byteCount)
///
/// A slow loop does not hold the transfer up: it gets the newest value and misses those before it. The sequence ends
/// when the call ends or fails; its last value says where the transfer stopped. It is for one loop and one call.
public final class ProgressUpdates: AsyncSequence, Sendable {
    private struct State {
        var meter = ProgressMeter()
        var lastUpdate: Duration?
    }

    private let state = Mutex(State())
    private let interval: Duration
    private let clock: any NetworkClock
    private let stream: AsyncStream<TransferProgress>
    private let continuation: AsyncStream<TransferProgress>.Continuation

    /// Values that are at least `interval` apart, the first and the last aside. Default: 100 milliseconds.
    public init(interval: Duration = .milliseconds(100), clock: any NetworkClock = SystemClock()) {
        self.interval = interval
        self.clock = clock
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit { continuation.finish() }

    /// Where the transfer is now.
    public var current: TransferProgress { state.withLock(\.meter.progress) }

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncStream<TransferProgress>.AsyncIterator { stream.makeAsyncIterator() }

    func begin(completed: Int64 = 0, total: Int64?) {
        let now = clock.now
        state.withLock { state in
            state.meter.begin(completed: completed, total: total, now: now)
            state.lastUpdate = now
            continuation.yield(state.meter.progress)
        }
    }

    func advance(by bytes: Int) {
        let now = clock.now
        state.withLock { state in
            state.meter.advance(by: Int64(bytes))
            guard now - (state.lastUpdate ?? .zero) >= interval else { return }
            state.meter.measure(now: now)
            state.lastUpdate = now
            continuation.yield(state.meter.progress)
        }
    }

    /// The call is over.
    func finish() {
        let now = clock.now
        state.withLock { state in
            state.meter.measure(now: now)
            continuation.yield(state.meter.progress)
        }
        continuation.finish()
    }
}
