// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The body of one exchange as the layers above see it: counted, limited, and its end recorded.
final class ExchangeBodySource: BodySource {
    /// By which its call measures time.
    var clock: any NetworkClock { call.clock }
    /// The most bytes that it gives; then it fails.
    let limit: Int?
    private let source: any BodySource
    private let head: HTTPResponse
    private let finalMetrics: (@Sendable () -> TransportMetrics?)?
    private let call: CallContext
    private let attempt: Int
    /// Whether the reader has given up the rest. How the body ends then is no failure of the exchange.
    private let isGivenUp = Atomic(false)
    /// Whether all of it has been read.
    private let isAtEnd = Atomic(false)

    init(_ source: any BodySource, of response: TransportResponse, call: CallContext, attempt: Int, limit: Int?) {
        if let limit { self.source = LimitedSource(source, limit: limit) } else { self.source = source }
        self.call = call
        self.attempt = attempt
        self.limit = limit.map { max($0, 0) }
        head = response.head
        finalMetrics = response.finalMetrics
    }

    func next() async throws -> Data? {
        do {
            guard let piece = try await source.next() else {
                completeMetrics()
                isAtEnd.store(true, ordering: .releasing)
                return nil
            }
            call.update(attempt) { $0.bytesReceived += Int64(piece.count) }
            return piece
        } catch {
            throw isGivenUp.load(ordering: .relaxed) ? error : fail(error)
        }
    }

    var trailers: HTTPFields? { try? finalTrailers() }

    /// - Throws: `bodyNotRead` before the end.
    func finalTrailers() throws -> HTTPFields? {
        guard isAtEnd.load(ordering: .acquiring) else {
            var error = ResponseBodyStream.notRead
            error.response = head
            error.exchange = call.record
            throw error
        }
        return source.trailers?.asTrailers
    }

    func cancel() {
        isGivenUp.store(true, ordering: .relaxed)
        source.cancel()
    }

    /// Notes how the reading of the body failed.
    ///
    /// - Returns: the error with the head and the record.
    func fail(_ error: any Error) -> any Error {
        completeMetrics()
        guard var failure = error as? NetworkClientError else { return call.fail(attempt, error) }
        failure.response = failure.response ?? head
        return call.fail(attempt, failure)
    }

    private func completeMetrics() {
        guard let metrics = finalMetrics?() else { return }
        call.update(attempt) { $0.metrics?.complete(with: metrics) }
    }
}
