// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The single pass over a source, and its end.
final class ResponseBodyStream: Sendable {
    let length: Int64?
    /// Where the bytes come from, whatever has been put around it.
    private let origin: Origin
    /// See ``ResponseBody/init(part:)``.
    let isPart: Bool
    private let source: any BodySource
    private let isTaken = Atomic(false)
    private let isAtEnd = Atomic(false)

    enum Origin: Sendable {
        case exchange(ExchangeBodySource)
        /// A body that was whole, with these fields behind it.
        case whole(HTTPFields)
        case other
    }

    init(_ source: any BodySource, length: Int64?, origin: Origin = .other, isPart: Bool = false) {
        self.source = source
        self.length = length
        self.origin = origin
        self.isPart = isPart
    }

    deinit {
        if !isTaken.load(ordering: .acquiring) { source.cancel() }
    }

    func cancel() { source.cancel() }

    var exchange: ExchangeBodySource? {
        if case .exchange(let exchange) = origin { exchange } else { nil }
    }

    func trailers() throws -> HTTPFields? {
        switch origin {
        case .exchange(let exchange): try exchange.finalTrailers()
        case .whole(let trailers): trailers
        case .other:
            if isAtEnd.load(ordering: .acquiring) { source.trailers?.asTrailers } else { throw Self.notRead }
        }
    }

    static let notRead = NetworkClientError(
        .bodyNotRead, "trailers come behind the body, which has not been read to its end")

    /// - Parameter holdsToLength: whether a source that gives fewer or more bytes than announced fails. The source of
    ///   an exchange has been checked already, beneath the sources that layers have put around it.
    func beginReading(holdsToLength: Bool = true) -> Reader {
        let isFirst = !isTaken.exchange(true, ordering: .acquiringAndReleasing)
        return Reader(isFirst ? self : nil, length: holdsToLength && exchange == nil ? length : nil)
    }

    func mapSource(length: Int64?, _ transform: (any BodySource) -> any BodySource) -> ResponseBodyStream {
        ResponseBodyStream(transform(beginReading()), length: length, origin: origin, isPart: isPart)
    }

    /// Cancels the source when it is dropped before the end.
    final class Reader: BodySource {
        private let stream: ResponseBodyStream?
        /// How many bytes have to come.
        private let length: Int64?
        private let arrived = Atomic<Int64>(0)

        /// - Parameter stream: `nil` for one that somebody else reads.
        init(_ stream: ResponseBodyStream?, length: Int64?) {
            self.stream = stream
            self.length = length
        }

        deinit {
            if let stream, !stream.isAtEnd.load(ordering: .acquiring) { stream.cancel() }
        }

        func next() async throws -> Data? {
            guard let stream else {
                throw NetworkClientError(.bodyAlreadyConsumed, "the response's body can be read only once")
            }
            if stream.isAtEnd.load(ordering: .acquiring) { return nil }
            let piece = try await stream.source.next()
            if let length { try count(piece, of: length) }
            if piece == nil { stream.isAtEnd.store(true, ordering: .releasing) }
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

        func cancel() { stream?.cancel() }

        var trailers: HTTPFields? { stream?.source.trailers }
    }
}
