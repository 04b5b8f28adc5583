// SPDX-License-Identifier: Apache-2.0

import Synchronization

private let lastNumber = Atomic<UInt64>(0)

/// Whoever wants to know of a transport's connections. While nobody listens, nothing is made or kept.
public final class ConnectionEvents: Sendable {
    private let listeners = Listeners<ConnectionEvent>()

    package init() {}

    /// Calls `action` for each event from now on, until the returned value is gone.
    ///
    /// It runs in the transport's thread, or in that of a call, which does nothing else meanwhile: it must be quick, and must not call
    /// the transport.
    public func listen(_ action: @escaping @Sendable (ConnectionEvent) -> Void) -> Listening { listeners.add(action) }

    /// The events from now on, until the transport has been shut down or is gone. When they are not read, the newest 1024 are kept.
    public func stream() -> AsyncStream<ConnectionEvent> { listeners.stream(keeping: 1024) }

    /// The transport has been shut down.
    package func finish() { listeners.finish() }

    /// Whether there is anybody to tell. A transport asks before it makes an event.
    package var isListenedTo: Bool { !listeners.isEmpty }

    package func tell(_ event: ConnectionEvent) { listeners.tell(event) }

    /// Of something that happens now.
    package func tell(_ kind: ConnectionEvent.Kind, _ origin: Origin, _ number: UInt64? = nil) {
        tell(ConnectionEvent(kind, origin: origin, connection: number, time: SystemClock().now))
    }

    /// A number that no other connection of the process has.
    package static func nextNumber() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }
}
