// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

/// The bytes of one response's body, as they arrive.
///
/// For parsers that want single bytes. Where pieces will do, ``StrataCore/NetworkClientProtocol/open(_:)`` is faster.
/// Bytes are pulled, and leaving the loop cancels the transfer.
public struct ResponseBytes: AsyncSequence, Sendable {
    private let transportResponse: TransportResponse

    public init(_ response: TransportResponse) {
        transportResponse = response
    }

    /// The head of the response.
    public var response: HTTPResponse { transportResponse.head }

    /// What happened in the call until now.
    public var exchange: ExchangeRecord { transportResponse.exchange }

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: transportResponse.body.makeAsyncIterator())
    }

    /// Cancels the transfer when it is dropped.
    @_documentation(visibility: internal)
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var pieces: ResponseBody.AsyncIterator
        @usableFromInline var piece: [UInt8] = []
        @usableFromInline var position = 0
        private var turn = TaskTurn()

        init(pieces: ResponseBody.AsyncIterator) {
            self.pieces = pieces
        }

        /// - Throws: ``StrataCore/NetworkClientError``, with code `connectionLost` when the body was cut off;
        ///   `CancellationError`.
        @inlinable
        public mutating func next() async throws -> UInt8? {
            if position == piece.count, try await !refill() { return nil }
            defer { position += 1 }
            return piece[position]
        }

        /// The same, in the caller's isolation.
        @inlinable
        @_documentation(visibility: internal)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
            if position == piece.count, try await !refill() { return nil }
            defer { position += 1 }
            return piece[position]
        }

        /// Pulls the next piece; `false` at the end.
        @usableFromInline
        mutating func refill() async throws -> Bool {
            // A source may give an empty piece, though it should not: that is not the end.
            while let next = try await pieces.next() {
                if turn.isOver(after: next.count / 256) { await Task.yield() }
                guard !next.isEmpty else { continue }
                piece = Array(next)
                position = 0
                return true
            }
            return false
        }
    }
}
