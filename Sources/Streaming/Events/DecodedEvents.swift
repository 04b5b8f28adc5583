// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

/// The events of a stream as models, decoded one by one as the loop asks for them.
///
/// Made by ``StrataCore/NetworkClientProtocol/events(for:decoding:until:options:)`` and
/// ``EventSource/decoding(_:until:using:)``. Leaving the loop cancels the transfer.
///
/// It is not `Sendable`, because the closures of an ``EventDecoding`` may use values that are isolated where the
/// closures are written. A function of an actor can return it as `sending`. Or it returns ``ServerSentEvents`` or an
/// ``EventSource``, and the reader calls `decoding`.
public struct DecodedEvents<Element>: AsyncSequence {
    enum Source: Sendable {
        case once(ServerSentEvents)
        case reconnecting(EventSource)
    }

    private let source: Source
    private let table: EventDecoding<Element>
    private let decoding: ElementDecoding

    init(_ source: Source, table: EventDecoding<Element>, decoding: ElementDecoding) {
        self.source = source
        self.table = table
        self.decoding = decoding
    }

    /// The head of the response; `nil` for an ``EventSource``, which has one for each connection.
    public var response: HTTPResponse? {
        guard case .once(let events) = source else { return nil }
        return events.response
    }

    /// What happened in the call until now; `nil` for an ``EventSource``, which makes a call for each connection.
    public var exchange: ExchangeRecord? {
        guard case .once(let events) = source else { return nil }
        return events.exchange
    }

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncIterator {
        switch source {
        case .once(let events):
            AsyncIterator(once: events.makeAsyncIterator(), table: table, decoding: decoding)
        case .reconnecting(let source):
            AsyncIterator(reconnecting: source.makeAsyncIterator(), table: table, decoding: decoding)
        }
    }

    /// Cancels the transfer when it is dropped.
    @_documentation(visibility: internal)
    public struct AsyncIterator: AsyncIteratorProtocol {
        // One of the two is set. They are no cases of an enum, because moving an iterator out of a case and back copies
        // its buffers.
        private var once: ServerSentEvents.AsyncIterator?
        private var reconnecting: EventSource.AsyncIterator?
        private let table: EventDecoding<Element>
        private let decoding: ElementDecoding

        fileprivate init(
            once: ServerSentEvents.AsyncIterator? = nil, reconnecting: EventSource.AsyncIterator? = nil,
            table: EventDecoding<Element>, decoding: ElementDecoding
        ) {
            self.once = once
            self.reconnecting = reconnecting
            self.table = table
            self.decoding = decoding
        }

        /// - Throws: ``StrataCore/NetworkClientError``, with code `decodingFailed` when an event's data is not the
        ///   model (the data is the error's body), `errorEvent` when the server reported an error, `connectionLost` when the body was cut off or a required mark was
        ///   missing; `CancellationError`.
        public mutating func next() async throws -> Element? {
            while true {
                guard let event = try await pull() else {
                    let endedWithBody = reconnecting?.endedWithBody ?? false
                    stop()
                    if table.end.isRequired, endedWithBody { throw StreamFailure.missingEnd() }
                    return nil
                }
                guard let origin = once?.reader.origin ?? reconnecting?.origin else { return nil }
                do {
                    if let element = try table.decode(event, of: origin, with: decoding) { return element }
                } catch {
                    stop()
                    throw error
                }
            }
        }

        /// The same, in the caller's isolation.
        @_documentation(visibility: internal)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            try await next()
        }

        private mutating func pull() async throws -> ServerSentEvent? {
            do {
                let end = table.end
                if once != nil { return try await once?.next(until: end) }
                guard let event = try await reconnecting?.next() else { return nil }
                guard end.matches(event) else { return event }
                reconnecting = nil
                return nil
            } catch {
                stop()
                throw error
            }
        }

        private mutating func stop() {
            once = nil
            reconnecting = nil
        }
    }
}

extension ServerSentEvents {
    /// The events as models, each decoded from its data.
    public func decoding<Model: Decodable>(
        _ type: Model.Type = Model.self, until end: EventStreamEnd = .body, using decoder: any ResponseBodyDecoder
    ) -> DecodedEvents<Model> {
        decoding(.every(type, until: end), using: decoder)
    }

    /// The events as models, decoded by their names.
    public func decoding<Model>(
        _ table: EventDecoding<Model>, using decoder: any ResponseBodyDecoder
    ) -> DecodedEvents<Model> {
        decoding(table, using: decoder, onFailure: nil)
    }

    /// The same as ``decoding(_:until:using:)``, with a hook that is called for data which cannot be decoded.
    package func decoding<Model: Decodable>(
        _ type: Model.Type, until end: EventStreamEnd, using decoder: any ResponseBodyDecoder,
        onFailure: (@Sendable (NetworkClientError) -> Void)?
    ) -> DecodedEvents<Model> {
        decoding(.every(type, until: end), using: decoder, onFailure: onFailure)
    }

    /// The same, with a hook that is called for data which cannot be decoded.
    package func decoding<Model>(
        _ table: EventDecoding<Model>, using decoder: any ResponseBodyDecoder,
        onFailure: (@Sendable (NetworkClientError) -> Void)?
    ) -> DecodedEvents<Model> {
        DecodedEvents(.once(self), table: table, decoding: ElementDecoding(decoder: decoder, onFailure: onFailure))
    }
}
