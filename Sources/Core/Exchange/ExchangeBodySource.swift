// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The body of one exchange as the layers above see it: counted, limited, and its failures recorded.
final class ExchangeBodySource: BodySource {
    private let source: any BodySource
    private let call: CallContext
    private let attempt: Int
    private let limit: Int?
    private let head: TransportResponse.Head
    private let count = Atomic(0)
    /// Whether who reads does not want the rest, which is no failure of the exchange.
    private let isGivenUp = Atomic(false)

    init(_ source: any BodySource, head: TransportResponse.Head, call: CallContext, attempt: Int, limit: Int?) {
        self.source = source
        self.head = head
        self.call = call
        self.attempt = attempt
        self.limit = limit
    }

    func next() async throws -> Data? {
        do {
            guard let piece = try await source.next() else {
                let total = count.load(ordering: .relaxed)
                call.update(attempt) { $0.bytesReceived = Int64(total) }
                return nil
            }
            let total = count.wrappingAdd(piece.count, ordering: .relaxed).newValue
            if let limit, total > limit {
                source.cancel()
                throw NetworkClientError(.bodyTooLarge, "the body is larger than \(limit) bytes")
            }
            return piece
        } catch {
            let total = count.load(ordering: .relaxed)
            call.update(attempt) { $0.bytesReceived = Int64(total) }
            if error is CancellationError, isGivenUp.load(ordering: .relaxed) { throw error }
            var error = error
            if var failure = error as? NetworkClientError, failure.response == nil {
                failure.response = head
                error = failure
            }
            throw call.fail(attempt, error)
        }
    }

    func cancel() {
        isGivenUp.store(true, ordering: .relaxed)
        source.cancel()
    }
}
