// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// One end of a connection in memory.
package final class MemoryConnection: ByteConnection {
    private let input: BytePipe
    private let output: BytePipe

    private init(_ input: BytePipe, _ output: BytePipe) {
        self.input = input
        self.output = output
    }

    /// - Parameter capacity: how many bytes may be under way in each direction before the writer waits.
    package static func pair(capacity: Int = 64 * 1024) -> (MemoryConnection, MemoryConnection) {
        let (one, two) = (BytePipe(capacity: capacity), BytePipe(capacity: capacity))
        return (MemoryConnection(one, two), MemoryConnection(two, one))
    }

    package func read() async throws -> Data? { try await input.read() }

    package func write(_ bytes: Data) async throws { try await output.write(bytes) }

    package func closeOutput() async throws { output.end(.success(())) }

    package func cancel() { end(CancellationError()) }

    /// Ends both directions.
    ///
    /// - Parameter error: what this end finds; the other one has lost the connection.
    func end(_ error: any Error) {
        let lost = NetworkClientError(.connectionLost, "the other end has closed the connection")
        input.endReading(error, refusal: lost)
        output.endWriting(error, failure: lost)
    }

    /// How many bytes wait for the other end.
    package var unread: Int { output.count }

    /// Hands this end to a server, in a task that ends with the connection.
    func serve(_ serve: @escaping @Sendable (ByteChannel) async throws -> Void) {
        Task {
            let channel = ByteChannel(self)
            try await serve(channel)
            // A channel that nobody has any more is cancelled, which would lose what the client has not read yet.
            try await channel.closeOutput()
        }
    }
}

extension ByteChannel {
    /// Two channels of which each is the other end of the other, in memory.
    ///
    /// - `capacity`: how many bytes may be under way in each direction before the writer waits. Default: 64 KiB.
    public static func pair(capacity: Int = 64 * 1024) -> (ByteChannel, ByteChannel) {
        let (one, two) = MemoryConnection.pair(capacity: capacity)
        return (ByteChannel(one), ByteChannel(two))
    }
}
