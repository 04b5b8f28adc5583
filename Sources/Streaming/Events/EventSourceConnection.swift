// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

/// The state that an event source shares with its reader and with those who watch it, and the way to end what is under
/// way.
final class EventSourceConnection: ReconnectingStream {
    private struct Shared {
        var state = EventSource.State.connecting
        var hasReader = false
        var observers: [Int: AsyncStream<EventSource.State>.Continuation] = [:]
        var observerCount = 0
        /// Ends what the reader waits for.
        var cancel: (@Sendable () -> Void)?

        /// There is no way back from closed.
        mutating func move(to next: EventSource.State) {
            guard state != .closed, state != next else { return }
            state = next
            for observer in observers.values { observer.yield(next) }
        }
    }

    private let shared = Mutex(Shared())

    /// Without a reader nobody else ends the states.
    deinit { close() }

    var state: EventSource.State { shared.withLock(\.state) }

    func admitReader() -> Bool {
        shared.withLock { shared in
            defer { shared.hasReader = true }
            return !shared.hasReader
        }
    }

    // MARK: Moves

    /// - Throws: `CancellationError` when the stream has been closed meanwhile; the body is cancelled then.
    func open(_ body: ResponseBody) throws {
        let isOpen = shared.withLock { shared in
            guard shared.state != .closed else { return false }
            shared.cancel = { body.cancel() }
            shared.move(to: .open)
            return true
        }
        guard isOpen else {
            body.cancel()
            throw CancellationError()
        }
    }

    func reconnect() {
        // The body ends outside of the lock.
        _ = shared.withLock { shared in
            guard shared.state != .closed else { return nil as (@Sendable () -> Void)? }
            shared.move(to: .connecting)
            return shared.cancel.take()
        }
    }

    func close() {
        let (cancel, observers) = shared.withLock { shared in
            defer {
                shared.cancel = nil
                shared.observers = [:]
            }
            shared.move(to: .closed)
            return (shared.cancel, shared.observers)
        }
        cancel?()
        // Outside of the lock, because an observer that is finished takes it.
        for observer in observers.values { observer.finish() }
    }

    func keepCancellation(_ cancel: (@Sendable () -> Void)?) -> Bool {
        shared.withLock { shared in
            if shared.state != .closed { shared.cancel = cancel }
            return shared.state != .closed
        }
    }

    func leave() { close() }

    // MARK: Watching

    func states() -> AsyncStream<EventSource.State> {
        let (stream, continuation) = AsyncStream<EventSource.State>.makeStream(bufferingPolicy: .bufferingNewest(64))
        shared.withLock { shared in
            continuation.yield(shared.state)
            guard shared.state != .closed else { return continuation.finish() }
            let number = shared.observerCount
            shared.observerCount += 1
            shared.observers[number] = continuation
            continuation.onTermination = { [weak self] _ in
                self?.shared.withLock { shared in _ = shared.observers.removeValue(forKey: number) }
            }
        }
        return stream
    }
}
