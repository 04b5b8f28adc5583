// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A connection that ends with its exchange's time: from the first bytes on that come too late.
final class TimedConnection: ByteConnection {
    private let connection: MemoryConnection
    private let time: ExchangeTime

    init(_ connection: MemoryConnection, time: ExchangeTime) {
        self.connection = connection
        self.time = time
    }

    func read() async throws -> Data? {
        let bytes = try await connection.read()
        if bytes != nil { try checkTime() }
        return bytes
    }

    func write(_ bytes: Data) async throws {
        try checkTime()
        try await connection.write(bytes)
    }

    func closeOutput() async throws { try await connection.closeOutput() }

    func cancel() { connection.cancel() }

    private func checkTime() throws {
        guard let timeout = time.timeout else { return }
        connection.cancel()
        throw timeout
    }
}
