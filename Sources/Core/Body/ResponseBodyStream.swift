// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The single pass over a source, and its end.
final class ResponseBodyStream: Sendable {
    let length: Int64?
    /// The exchange that the bytes come from, whatever has been put around its source.
    let exchange: ExchangeBodySource?
    /// See ``ResponseBody/init(part:)``.
    let isPart: Bool
    private let source: any BodySource
    private let isTaken = Atomic(false)

    init(_ source: any BodySource, length: Int64?, exchange: ExchangeBodySource? = nil, isPart: Bool = false) {
        self.source = source
        self.length = length
        self.exchange = exchange
        self.isPart = isPart
    }

    deinit {
        if !isTaken.load(ordering: .acquiring) { source.cancel() }
    }

    func cancel() { source.cancel() }

    /// - Parameter holdsToLength: whether a source that gives fewer or more bytes than announced fails. The source of
    ///   an exchange has been checked already, beneath the sources that layers have put around it.
    func beginReading(holdsToLength: Bool = true) -> Reader {
        let isFirst = !isTaken.exchange(true, ordering: .acquiringAndReleasing)
        return Reader(isFirst ? source : nil, length: holdsToLength && exchange == nil ? length : nil)
    }

    func mapSource(length: Int64?, _ transform: (any BodySource) -> any BodySource) -> ResponseBodyStream {
        ResponseBodyStream(transform(beginReading()), length: length, exchange: exchange, isPart: isPart)
    }

    /// Cancels the source when it is dropped before the end.
    final class Reader: BodySource {
        private let source: (any BodySource)?
        /// How many bytes have to come.
        private let length: Int64?
        private let arrived = Atomic<Int64>(0)
        private let isAtEnd = Atomic(false)

        init(_ source: (any BodySource)?, length: Int64?) {
            self.source = source
            self.length = length
        }

        deinit {
            if !isAtEnd.load(ordering: .acquiring) { source?.cancel() }
        }

        func next() async throws -> Data? {
            guard let source else {
                throw NetworkClientError(.bodyAlreadyConsumed, "the response's body can be read only once")
            }
            if isAtEnd.load(ordering: .acquiring) { return nil }
            let piece = try await source.next()
            if let length { try count(piece, of: length) }
            if piece == nil { isAtEnd.store(true, ordering: .releasing) }
            // After an empty piece the reader asks again at once. If it never has to wait, only this check notices a
            // cancellation.
            if piece?.isEmpty == true { try Task.checkCancellation() }
            return piece
        }

        private func count(_ piece: Data?, of length: Int64) throws {
            let total = arrived.wrappingAdd(Int64(piece?.count ?? 0), ordering: .relaxed).newValue
            if total > length {
                throw NetworkClientError(
                    .protocolViolation, "the body has more than the \(length) bytes that were announced")
            }
            if piece == nil, total < length {
                throw NetworkClientError(.connectionLost, "the body ended after \(total) of \(length) bytes")
            }
        }

        func cancel() { source?.cancel() }
    }
}
