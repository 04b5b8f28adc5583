// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

/// The elements of a streamed response, which an endpoint returns.
///
///     @EventStreaming @POST("/chat") func chat(prompt: String) async throws -> APIStream<Chunk>
///
/// The loop over it owns the transfer: leaving the loop ends the transfer at once, also while the stream is still held. An
/// `AsyncThrowingStream`, which an endpoint can return too, holds its transfer until its last copy is gone. It has one
/// loop; a second one throws `bodyAlreadyConsumed`. A stream that is dropped without a loop ends its transfer, too.
public struct APIStream<Element>: AsyncSequence {
    @_documentation(visibility: internal)
    public typealias Failure = any Error

    /// What the first iterator takes.
    private final class Unread: @unchecked Sendable {  // the lock lets one task at the pump
        private let pump: Mutex<Transferred?>

        init(_ pump: StreamPump<Element>) { self.pump = Mutex(Transferred(pump: pump)) }

        func take() -> StreamPump<Element>? {
            pump.withLock { pump in
                defer { pump = nil }
                return pump?.pump
            }
        }

        private struct Transferred: @unchecked Sendable {  // so is a pump, which lets one task at its closure
            let pump: StreamPump<Element>
        }
    }

    private let unread: Unread

    init(_ pump: StreamPump<Element>) { unread = Unread(pump) }

    /// The elements of another sequence: for a mock.
    public init<Elements: AsyncSequence>(_ elements: sending Elements) where Elements.Element == Element {
        var iterator = elements.makeAsyncIterator()
        self.init(StreamPump { try await iterator.next(isolation: #isolation) })
    }

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pump: unread.take()) }

    /// Ends the transfer when it is dropped.
    @_documentation(visibility: internal)
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let pump: StreamPump<Element>?

        /// - Throws: ``StrataCore/NetworkClientError``; the endpoint's model of an error; `CancellationError`.
        public mutating func next() async throws -> Element? {
            guard let pump else {
                throw NetworkClientError(.bodyAlreadyConsumed, "the stream has had a loop already")
            }
            return try await pump.next()
        }

        /// The same, in the caller's isolation.
        @_documentation(visibility: internal)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? { try await next() }
    }
}

extension APIStream: Sendable where Element: Sendable {}
