// SPDX-License-Identifier: Apache-2.0

public import StrataStreaming

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Streams: the call returns when the head is there, and throws for a status or a media type that is wrong. Elements are
// pulled one by one. The transfer ends with the loop over an `APIStream`; with the last copy of an `AsyncStream` and of an
// `AsyncThrowingStream`.

extension APICall {
    /// The elements as models, decoded from each event's data or from each line, where the endpoint was called.
    /// `String` takes the data as it is.
    public func send<Element: Decodable>(as type: APIStream<Element>.Type) async throws -> APIStream<Element> {
        APIStream(try await StreamRequest(self).elements(Element.self))
    }

    /// The same.
    public func send<Element: Decodable>(
        as type: AsyncThrowingStream<Element, any Error>.Type
    ) async throws -> AsyncThrowingStream<Element, any Error> {
        try await StreamRequest(self).elements(Element.self).throwingStream()
    }

    /// The same; an error ends the stream, and is logged.
    public func send<Element: Decodable>(as type: AsyncStream<Element>.Type) async throws -> AsyncStream<Element> {
        try await StreamRequest(self).elements(Element.self).stream(logger: provider.logger)
    }

    /// For the message alone.
    @_disfavoredOverload
    @available(*, unavailable, message: "a stream's elements are Decodable, and what it throws is 'any Error'")
    public func send<Element, Failure: Error>(
        as type: AsyncThrowingStream<Element, Failure>.Type
    ) async throws -> AsyncThrowingStream<Element, Failure> {
        throw NetworkClientError(.invalidRequest, "the reply is not a stream that can be decoded")
    }

    /// For the message alone.
    @_disfavoredOverload
    @available(*, unavailable, message: "a stream's elements are Decodable, or made by '@EventStreaming(decoding:)'")
    public func send<Element>(as type: APIStream<Element>.Type) async throws -> APIStream<Element> {
        throw NetworkClientError(.invalidRequest, "the reply is not a stream that can be decoded")
    }
}

// MARK: By a table

extension APICall {
    /// The elements as a table makes them of events, by their names.
    public func send<Element>(
        as type: APIStream<Element>.Type, decoding table: EventDecoding<Element>
    ) async throws -> APIStream<Element> {
        APIStream(try await StreamRequest(self).elements(table))
    }

    /// The same.
    public func send<Element>(
        as type: AsyncThrowingStream<Element, any Error>.Type, decoding table: EventDecoding<Element>
    ) async throws -> AsyncThrowingStream<Element, any Error> {
        try await StreamRequest(self).elements(table).throwingStream()
    }

    /// The same; an error ends the stream, and is logged.
    public func send<Element>(
        as type: AsyncStream<Element>.Type, decoding table: EventDecoding<Element>
    ) async throws -> AsyncStream<Element> {
        try await StreamRequest(self).elements(table).stream(logger: provider.logger)
    }
}

// MARK: As they come

extension APICall {
    /// The events with their names and identifiers.
    public func send(as type: APIStream<ServerSentEvent>.Type) async throws -> APIStream<ServerSentEvent> {
        APIStream(try await StreamRequest(self).events())
    }

    /// The same.
    public func send(
        as type: AsyncThrowingStream<ServerSentEvent, any Error>.Type
    ) async throws -> AsyncThrowingStream<ServerSentEvent, any Error> {
        try await StreamRequest(self).events().throwingStream()
    }

    /// The same; an error ends the stream, and is logged.
    public func send(as type: AsyncStream<ServerSentEvent>.Type) async throws -> AsyncStream<ServerSentEvent> {
        try await StreamRequest(self).events().stream(logger: provider.logger)
    }

    /// The bytes of a body as they arrive, whatever its type.
    public func send(as type: APIStream<Data>.Type) async throws -> APIStream<Data> {
        APIStream(try await StreamRequest(self).bytes())
    }

    /// The same.
    public func send(
        as type: AsyncThrowingStream<Data, any Error>.Type
    ) async throws -> AsyncThrowingStream<Data, any Error> {
        try await StreamRequest(self).bytes().throwingStream()
    }

    /// The same; an error ends the stream, and is logged.
    public func send(as type: AsyncStream<Data>.Type) async throws -> AsyncStream<Data> {
        try await StreamRequest(self).bytes().stream(logger: provider.logger)
    }
}
