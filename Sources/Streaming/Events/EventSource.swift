// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

/// A stream of events that outlives its connections (HTML standard §9.2).
///
///     let request = NetworkRequest<VoidRequest, VoidResponse>(path: "prices", method: .get)
///     let source = try client.eventSource(for: request)
///     for try await event in source { print(event.data) }
///
/// When a connection ends, breaks or falls silent for longer than the request's `idle` timeout, the next one is opened,
/// after the wait that the ``ReconnectionPolicy`` asks for. It sends `Last-Event-ID`, and with a server that honours it
/// no event is lost or comes twice. Each connection goes through the client's middleware, and so has fresh credentials.
///
/// - A status of 204 ends the stream in good order.
/// - Every other status but 200, and every other type than `text/event-stream`, is final and throws.
/// - Events are pulled. Leaving the loop, cancelling its task or ``close()`` ends the stream, at once and for good.
///
/// A value: copies share the stream. It has one reader.
public struct EventSource: AsyncSequence, Sendable {
    /// What the standard calls `readyState`.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum State: Hashable, Sendable {
        /// A connection is being opened, or the next one is waited for.
        case connecting
        case open
        /// For good.
        case closed
    }

    let settings: EventSourceSettings
    private let connection: EventSourceConnection

    fileprivate init(
        client: any NetworkClientProtocol, request: TransportRequest, decoder: any ResponseBodyDecoder,
        lastEventID: String?, reconnection: ReconnectionPolicy, options: ServerSentEvents.Options
    ) throws {
        guard request.body.isReplayable || !reconnection.allows(request) else {
            throw NetworkClientError(.bodyNotReplayable, "a stream that reconnects needs a body that can be sent again")
        }
        let identifier = lastEventID ?? request.head.headerFields[.lastEventID] ?? ""
        // A field would have spaces in their place; an identifier from a stream has none of them.
        guard !identifier.utf8.contains(where: { $0 == .lineFeed || $0 == .carriageReturn || $0 == 0 }) else {
            throw NetworkClientError(.invalidRequest, "the identifier of the last event has a line break or NUL in it")
        }
        settings = EventSourceSettings(
            client: client, request: request, decoder: decoder, policy: reconnection, options: options,
            lastEventID: identifier)
        connection = EventSourceConnection()
    }

    public var state: State { connection.state }

    /// The states from now on, the present one first. The sequence ends after ``State/closed``.
    ///
    /// Each call makes a sequence of its own. One that is not read keeps the latest 64 states.
    public var states: AsyncStream<State> { connection.states() }

    /// Ends the stream, at once and for good: the loop over it ends without an error.
    public func close() { connection.close() }

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(settings: settings, lease: ReaderLease(connection))
    }

    /// The events as models, each decoded from its data.
    ///
    /// - `end`: how the server says that the stream is over; it is then closed.
    /// - `decoder`: Default: the request's, else the client's.
    public func decoding<Model: Decodable>(
        _ type: Model.Type = Model.self, until end: EventStreamEnd = .body,
        using decoder: (any ResponseBodyDecoder)? = nil
    ) -> DecodedEvents<Model> {
        decoding(.every(type, until: end), using: decoder)
    }

    /// The events as models, decoded by their names.
    ///
    /// - `decoder`: Default: the request's, else the client's.
    public func decoding<Model>(
        _ table: EventDecoding<Model>, using decoder: (any ResponseBodyDecoder)? = nil
    ) -> DecodedEvents<Model> {
        DecodedEvents(
            .reconnecting(self), table: table,
            decoding: ElementDecoding(
                decoder: decoder ?? settings.decoder, onFailure: settings.client.configuration.onDecodingFailure))
    }
}

extension NetworkClientProtocol {
    /// A stream of events that outlives its connections. Nothing is sent before it is read.
    ///
    /// - `request`: sent once for each connection. Set `options.timeouts.idle` to a little more than the server's
    ///   heartbeat. Its `deadline` is that of the whole stream, all connections and the waits between them.
    /// - `lastEventID`: the identifier to go on from, sent with the first connection already. Default: the request's
    ///   own `Last-Event-ID`, if it has one.
    /// - Throws: what building the request throws; ``StrataCore/NetworkClientError`` with code `bodyNotReplayable` when
    ///   the policy wants to repeat a request with a body that can be sent once, `invalidRequest` for a `lastEventID`
    ///   with a line break or NUL, which no field can hold.
    public func eventSource<RequestModel, ResponseModel>(
        for request: NetworkRequest<RequestModel, ResponseModel>, lastEventID: String? = nil,
        reconnection: ReconnectionPolicy = ReconnectionPolicy(),
        options: ServerSentEvents.Options = ServerSentEvents.Options()
    ) throws -> EventSource {
        try EventSource(
            client: self, request: makeTransportRequest(request.forStream()),
            decoder: request.decoder ?? configuration.defaultDecoder, lastEventID: lastEventID,
            reconnection: reconnection, options: options)
    }
}
