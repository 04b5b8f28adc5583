// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The connection of an exchange that has switched protocols: its bytes counted, and its failure recorded.
final class ExchangeConnection: ExecutorConnection {
    private let connection: any ByteConnection
    private let head: HTTPResponse
    private let call: CallContext
    private let attempt: Int

    init(_ connection: any ByteConnection, head: HTTPResponse, call: CallContext, attempt: Int) {
        self.connection = connection
        self.head = head
        self.call = call
        self.attempt = attempt
    }

    func read() async throws -> Data? {
        let bytes = try await recording { try await connection.read() }
        if let bytes { call.update(attempt) { $0.bytesReceived += Int64(bytes.count) } }
        return bytes
    }

    func write(_ bytes: Data) async throws { try await recording { try await connection.write(bytes) } }

    func closeOutput() async throws { try await recording { try await connection.closeOutput() } }

    func cancel() { connection.cancel() }

    var executor: (any TaskExecutor)? { (connection as? any ExecutorConnection)?.executor }

    /// That a task was cancelled, or the channel, is no failure of the exchange.
    private func recording<Result>(_ work: () async throws -> Result) async throws -> Result {
        do { return try await work() } catch var error as NetworkClientError {
            error.response = error.response ?? head
            throw call.fail(attempt, error)
        }
    }
}
