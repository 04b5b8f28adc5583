// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import StrataTesting

/// A client that sends and receives plain bytes. Its blocking calls run on a thread of their own.
struct LoopbackClient: Sendable {
    let connection: SocketConnection

    init(port: Int) throws {
        connection = SocketConnection(try Socket.connected(toPort: port))
    }

    func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await blocking { try connection.send(bytes) }
    }

    /// The next bytes, empty at the end.
    func receive() async throws -> String {
        String(decoding: try await blocking { try connection.receive() }, as: UTF8.self)
    }

    /// Everything until the server closes. Throws `ConnectionLost` when it resets.
    func receiveAll() async throws -> String {
        String(decoding: try await receiveAllBytes(), as: UTF8.self)
    }

    func receiveAllBytes() async throws -> [UInt8] {
        try await blocking {
            var bytes: [UInt8] = []
            while true {
                let more = try connection.receive()
                if more.isEmpty { return bytes }
                bytes += more
            }
        }
    }

    private func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            // Not a queue of Dispatch: on Linux its threads are those of Swift's tasks, and few.
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    /// Connects, sends, and returns everything until the server closes.
    static func exchange(_ text: String, port: Int) async throws -> String {
        let client = try LoopbackClient(port: port)
        defer { client.connection.close() }
        try await client.send(text)
        return try await client.receiveAll()
    }
}
