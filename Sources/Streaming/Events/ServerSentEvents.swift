// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

/// The events of one response, as they arrive.
///
///     for try await event in try await client.events(for: request) {
///         print(event.type, event.data)
///     }
///
/// Events are pulled: a slow loop slows the server. Leaving the loop cancels the transfer. The response can be read
/// once. It ends with the body and throws when the body was cut off; to carry on over lost connections, see
/// ``EventSource``.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// How the events are read.
    public struct Options: Sendable {
        /// The most bytes that a line, and the data of an event, may have; more is an error with code `bodyTooLarge`.
        /// Default: 16 MiB.
        public var maximumEventSize = 16 << 20

        /// Whether an event counts that is complete except for its empty line when the body ends. Default: no, as the
        /// standard says.
        ///
        /// For servers that send one answer and leave the last empty line out. An ``EventSource`` that reconnects drops
        /// such an event all the same, because the next connection would bring it again.
        public var keepsUnfinishedEvent = false

        public init() {}
    }

    private let transportResponse: TransportResponse
    private let options: Options

    /// Reads a response that is known to hold events.
    public init(_ response: TransportResponse, options: Options = Options()) {
        transportResponse = response
        self.options = options
    }

    /// The head of the response.
    public var response: HTTPResponse { transportResponse.head }

    /// What happened in the call until now.
    public var exchange: ExchangeRecord { transportResponse.exchange }

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncIterator {
        let parser = ServerSentEventParser(maximumSize: options.maximumEventSize)
        return AsyncIterator(
            reader: FrameReader(
                transportResponse,
                framing: EventFraming(parser: parser, keepsUnfinishedEvent: options.keepsUnfinishedEvent)))
    }

    /// Cancels the transfer when it is dropped.
    @_documentation(visibility: internal)
    public struct AsyncIterator: AsyncIteratorProtocol {
        var reader: FrameReader<EventFraming>

        /// - Throws: ``StrataCore/NetworkClientError``, with code `connectionLost` when the body was cut off;
        ///   `CancellationError`.
        public mutating func next() async throws -> ServerSentEvent? {
            try await reader.next()
        }

        /// The same, in the caller's isolation.
        @_documentation(visibility: internal)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            try await reader.next()
        }

        /// The next event before the one that marks the end. What follows that one is read in the background.
        ///
        /// - Throws: `connectionLost` too, when the body ends without a mark that is required.
        package mutating func next(until end: EventStreamEnd) async throws -> ServerSentEvent? {
            guard let event = try await reader.next() else {
                if end.isRequired, !reader.isFinishedEarly {
                    throw reader.origin.response.attached(to: StreamFailure.missingEnd())
                }
                return nil
            }
            guard end.matches(event) else { return event }
            await reader.finishEarly()
            return nil
        }
    }
}
