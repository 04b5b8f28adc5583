// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A connection on which the server has switched protocols: bytes to read and to write.
///
///     var request = try TransportRequest(url: "https://api.example/live")
///     request.options.upgrade = "echo"
///     guard let channel = try await client.execute(request).channel else { … }
///     try await channel.write(Data("hello".utf8))
///     while let bytes = try await channel.read() { … }
///     await channel.close()
///
/// A slow reader slows the other end, and ``write(_:)`` waits for one. Both directions go on beside each other; in each of them calls of
/// several tasks take turns, in the order in which they came, so that what one writes stays together.
///
/// The timeouts of the request hold on: `attempt` and `deadline` for the whole, and `idle` for the time that one call waits for the other
/// end. The connection is closed when the last reference to the channel goes.
public final class ByteChannel: Sendable {
    private struct State {
        var isAtEnd = false
        var isOutputClosed = false
        var isOver = false
        /// Whether another channel has the connection now.
        var isHandedOn = false
    }

    private let connection: any ByteConnection
    private let state = Mutex(State())
    private let reading = Turnstile()
    private let writing = Turnstile()

    public init(_ connection: any ByteConnection) { self.connection = connection }

    deinit {
        if !state.withLock(\.isHandedOn) { connection.cancel() }
    }

    /// The next bytes, never none; `nil` when the other end has closed its side, and again after it.
    ///
    /// A cancelled task takes nothing, and the channel stays open.
    ///
    /// - Throws: ``NetworkClientError`` with `connectionLost` or `timedOut`; `CancellationError`, also after ``cancel()`` and ``close(within:)``.
    public func read() async throws -> Data? {
        try await reading.pass {
            while true {
                let isAtEnd = try self.state.withLock { state in
                    if state.isOver || Task.isCancelled { throw CancellationError() }
                    return state.isAtEnd
                }
                if isAtEnd { return nil }
                let bytes = try await self.connection.read()
                if bytes == nil { self.state.withLock { $0.isAtEnd = true } }
                if bytes?.isEmpty != true { return bytes }
            }
        }
    }

    /// Sends all of the bytes, behind what was written before; returns when the system has taken the last.
    ///
    /// A task that is cancelled while it waits for its turn writes nothing. One that is cancelled while it writes ends the channel, since
    /// nobody knows how much was sent.
    ///
    /// - Throws: as ``read()``; `invalidRequest` after ``closeOutput()``.
    public func write(_ bytes: Data) async throws {
        try await writing.pass {
            try self.state.withLock { state in
                if state.isOver || Task.isCancelled { throw CancellationError() }
                if state.isOutputClosed {
                    throw NetworkClientError(.invalidRequest, "the channel's output has been closed")
                }
            }
            if bytes.isEmpty { return }
            do { try await self.connection.write(bytes) } catch {
                if error is CancellationError { self.cancel() }
                throw error
            }
        }
    }

    /// Tells the other end, behind all that was written, that nothing more comes. What comes from there can still be read. A second call
    /// does nothing.
    ///
    /// - Throws: as ``read()``.
    public func closeOutput() async throws {
        try await writing.pass {
            let isOpen = try self.state.withLock { state in
                if state.isOver || Task.isCancelled { throw CancellationError() }
                defer { state.isOutputClosed = true }
                return !state.isOutputClosed
            }
            if isOpen { try await self.connection.closeOutput() }
        }
    }

    /// Closes both directions in order: what was written is sent, and what still comes is dropped, until the other end closes too or the
    /// limit passes. A call that waits in ``read()`` ends with `CancellationError` at the latest then. It does not throw when the connection
    /// is lost meanwhile.
    ///
    /// A connection that is closed with bytes unread is reset, and the other end may lose what it has not read (RFC 9112 §9.6).
    public func close(within limit: Duration = .seconds(1)) async {
        let end = SharedResult<Void>()
        let closing = Task {
            defer { end.finish(.success(())) }
            try await self.closeOutput()
            while try await self.read() != nil {}
        }
        // Fails when the caller is cancelled, too.
        try? await end.value(within: limit)
        cancel()
        closing.cancel()
    }

    /// Ends both directions at once; calls that wait throw `CancellationError`. What was written and not yet sent may be lost.
    public func cancel() {
        state.withLock { $0.isOver = true }
        connection.cancel()
    }

    /// The executor in whose thread the bytes arrive, when the current task prefers it: a task that reads for it belongs there too.
    package var preferredExecutor: (any TaskExecutor)? {
        guard let executor = (connection as? any ExecutorConnection)?.executor else { return nil }
        let isPreferred = withUnsafeCurrentTask { $0?.unownedTaskExecutor == executor.asUnownedTaskExecutor() }
        return isPreferred ? executor : nil
    }

    /// Another channel over the same connection, which takes the place of this one.
    ///
    /// - Parameter transform: puts something around the connection.
    func handedOn(_ transform: (any ByteConnection) -> any ByteConnection) -> ByteChannel {
        state.withLock { $0.isHandedOn = true }
        return ByteChannel(transform(connection))
    }
}

extension ByteChannel: DumpedAsDescription {
    /// Nothing of what passes.
    public var description: String { "a channel" }
}
