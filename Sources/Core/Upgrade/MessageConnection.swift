// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A WebSocket of which a transport has the messages and not the bytes, such as `URLSessionWebSocketTask`. A ``MessageFraming`` makes a
/// ``ByteConnection`` of it, so that everything above sees a ``ByteChannel``, whichever transport there is.
///
/// The limits of the request go on, as for a ``ByteConnection``.
package protocol MessageConnection: AnyObject, Sendable {
    /// The next message, or the peer's close, behind which nothing is asked for; `nil` when the connection has ended without one.
    ///
    /// Called by one task at a time. No more than one message is taken from the peer before it is asked for.
    ///
    /// - Throws: as ``ByteConnection/read()``.
    func receive() async throws -> SocketMessage?

    /// Sends a message, or the close; returns when the system has taken it. Called by one task at a time.
    func send(_ message: SocketMessage) async throws

    /// Sends a ping, and returns when the peer has answered it.
    func ping() async throws

    /// Ends it at once, from any thread; calls that wait end soon after.
    func cancel()
}

/// What one end of a WebSocket tells the other.
package enum SocketMessage: Hashable, Sendable {
    case text(String)
    case data(Data)
    /// The status 1005 stands for none (RFC 6455 §7.1.5).
    case close(code: UInt16, reason: String)
}

/// Puts frames around messages. A request for a WebSocket brings it along, because the frames are in `StrataWebSocket`, which no transport
/// depends on.
package struct MessageFraming: Sendable {
    /// The most bytes that a message may have.
    package let maximumMessageBytes: Int
    package let connection: @Sendable (any MessageConnection) -> any ByteConnection

    package init(
        maximumMessageBytes: Int, connection: @escaping @Sendable (any MessageConnection) -> any ByteConnection
    ) {
        self.maximumMessageBytes = maximumMessageBytes
        self.connection = connection
    }
}
