// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The connection of an exchange whose server has switched protocols (RFC 9110 §7.8).
final class SwitchedConnection: ByteConnection {
    private let exchange: Exchange
    /// How often it has been read from, and which of these was cancelled last.
    private let reads = Atomic(0)
    private let cancelledRead = Atomic(0)

    init(_ exchange: Exchange) { self.exchange = exchange }

    deinit { cancel() }

    func read() async throws -> Data? {
        try Task.checkCancellation()
        let isolation = #isolation
        let number = reads.add(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Data?, any Error>) in
                let reader = Waiter(continuation, isolation: isolation)
                exchange.loop.core.ask(
                    .work { engine in
                        if self.cancelledRead.load(ordering: .relaxed) == number {
                            engine.resumptions.append(.pieceFailed(reader, CancellationError()))
                        } else {
                            engine.read(switched: self.exchange, reader)
                        }
                    })
            }
        } onCancel: {
            // The connection stays as it is, and what comes is for the next call, whose number is another.
            cancelledRead.store(number, ordering: .relaxed)
            exchange.loop.core.ask(
                .work { engine in
                    guard self.reads.load(ordering: .relaxed) == number, let reader = self.exchange.takeReader() else {
                        return
                    }
                    engine.resumptions.append(.pieceFailed(reader, CancellationError()))
                })
        }
    }

    func write(_ bytes: Data) async throws {
        try Task.checkCancellation()
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                exchange.loop.core.ask(.work { $0.write(bytes, switched: self.exchange, continuation) })
            }
        } onCancel: {
            cancel()
        }
    }

    func closeOutput() async throws {
        try exchange.loop.run { $0.closeOutput(switched: self.exchange) }.get()
    }

    func cancel() { exchange.cancel() }
}

extension SwitchedConnection: ExecutorConnection {
    var executor: (any TaskExecutor)? { exchange.loop }
}
