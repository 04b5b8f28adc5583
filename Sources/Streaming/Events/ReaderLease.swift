// SPDX-License-Identifier: Apache-2.0

/// What a stream that outlives its connections shares with its one reader: an ``EventSource``, or a WebSocket that reconnects.
package protocol ReconnectingStream: AnyObject, Sendable {
    /// Lets one reader in.
    func admitReader() -> Bool

    /// Keeps what ends that which the reader waits for; `nil` when it waits no longer. Whether the stream still goes on:
    /// otherwise nothing is kept.
    func keepCancellation(_ cancel: (@Sendable () -> Void)?) -> Bool

    /// Ends the stream.
    func leave()
}

extension ReconnectingStream {
    /// Runs `work` so that both the caller's cancellation and the end of the stream end it.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let task = Task { try await work() }
        if !keepCancellation({ task.cancel() }) { task.cancel() }
        defer { _ = keepCancellation(nil) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// The reader's hold on the stream: ends it when it is dropped.
package final class ReaderLease<Stream: ReconnectingStream>: Sendable {
    package let connection: Stream
    package let isFirst: Bool

    package init(_ connection: Stream) {
        self.connection = connection
        isFirst = connection.admitReader()
    }

    deinit {
        if isFirst { connection.leave() }
    }
}
