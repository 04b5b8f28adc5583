// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The connection of an exchange whose server has switched protocols (RFC 9110 §7.8).
final class SwitchedConnection: ByteConnection {
    private let exchange: Exchange

    init(_ exchange: Exchange) { self.exchange = exchange }

    deinit { cancel() }

    func read() async throws -> Data? {
        try Task.checkCancellation()
        let isolation = #isolation
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Data?, any Error>) in
                let reader = Waiter(continuation, isolation: isolation)
                // Resumed once: here, or by whoever takes it out of the exchange.
                let result = exchange.loop.run { $0.read(switched: self.exchange, reader) }
                if let result { reader.resume(with: result) }
            }
        } onCancel: {
            // The connection stays as it is, and what comes is for the next call.
            let reader = exchange.loop.run { _ in self.exchange.takeReader() }
            reader?.resume(with: .failure(CancellationError()))
        }
    }

    func write(_ bytes: Data) async throws {
        try Task.checkCancellation()
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                // Resumed once: here, or by whoever takes it out of the exchange.
                let result = exchange.loop.run { $0.write(bytes, switched: self.exchange, continuation) }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            cancel()
        }
    }

    func closeOutput() async throws {
        try exchange.loop.run { $0.closeOutput(switched: self.exchange) }.get()
    }

    func cancel() { exchange.loop.run { $0.cancel(self.exchange) } }
}

extension SwitchedConnection: ExecutorConnection {
    var executor: (any TaskExecutor)? { exchange.loop }
}
