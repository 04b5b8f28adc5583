// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A response's body as the one task sees it that reads it. What has come is kept by the exchange.
final class BodyStream: BodySource {
    let exchange: Exchange

    init(_ exchange: Exchange) { self.exchange = exchange }

    deinit { cancel() }

    var trailers: HTTPFields? { exchange.loop.run { _ in self.exchange.trailers } }

    func next() async throws -> Data? {
        if Task.isCancelled { cancel() }
        if case let result?? = exchange.loop.core.runIfFree({ $0.takePiece(of: self.exchange) }) {
            return try result.get()
        }
        let isolation = #isolation
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Data?, any Error>) in
                exchange.loop.core.ask(.read(exchange, Waiter(continuation, isolation: isolation)))
            }
        } onCancel: {
            cancel()
        }
    }

    /// What has not been read is dropped, and the exchange ends unless it has already.
    func cancel() { exchange.loop.core.ask(.drop(exchange)) }
}
