// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a transport hands over when a server has switched protocols: bytes in both directions, of which ``ByteChannel`` is the caller's
/// side.
///
/// The limits of the request go on: `attempt` and `deadline` end the connection, and `idle` is the longest time that a call waits for the
/// other end. Both calls then throw ``NetworkClientError/Code-swift.struct/timedOut``.
public protocol ByteConnection: AnyObject, Sendable {
    /// The next bytes, as soon as there are some; `nil` when the other end has closed its side in order, and again after it.
    ///
    /// Called by one task at a time. Nothing more than a bounded number of bytes is taken from the other end before they are asked for.
    /// Throws `CancellationError` when the task is cancelled, and then takes nothing: the bytes are for the next call.
    ///
    /// - Throws: ``NetworkClientError/Code-swift.struct/connectionLost`` when the connection broke; `CancellationError` after ``cancel()``.
    func read() async throws -> Data?

    /// Sends all of the bytes; returns when the system has taken the last.
    ///
    /// Called by one task at a time. When it throws, nobody knows how much was sent.
    ///
    /// - Throws: as ``read()``.
    func write(_ bytes: Data) async throws

    /// Tells the other end, behind all that was written, that nothing more comes. Bytes from there can still be read.
    func closeOutput() async throws

    /// Ends both directions at once. May be called at any time, from any thread, more than once; calls that wait end soon after.
    func cancel()
}

/// A connection whose bytes arrive in the thread of an executor: a task that prefers it reads without a change of threads.
package protocol ExecutorConnection: ByteConnection {
    var executor: (any TaskExecutor)? { get }
}
