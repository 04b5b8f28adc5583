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
        if let result = exchange.loop.run({ $0.takePiece(of: self.exchange) }) { return try result.get() }
        let isolation = #isolation
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Data?, any Error>) in
                let reader = Waiter(continuation, isolation: isolation)
                // Resumed once: here, or by whoever takes it out of the exchange.
                let result = exchange.loop.run { engine -> Result<Data?, any Error>? in
                    let result = engine.takePiece(of: self.exchange)
                    if result == nil { self.exchange.wait(reader) }
                    return result
                }
                if let result { reader.resume(with: result) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// What has not been read is dropped, and the exchange ends unless it has already.
    func cancel() { exchange.loop.run { $0.dropBody(of: self.exchange) } }
}
