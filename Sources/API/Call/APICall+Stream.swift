// SPDX-License-Identifier: Apache-2.0

public import StrataStreaming

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Streams: the call returns when the head is there, and throws for a status or a media type that is wrong. Elements are
// pulled one by one; ending the loop cancels the request.

extension APICall {
    /// The elements as models, decoded from each event's data or from each line, where the endpoint was called.
    /// `String` takes the data as it is.
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
        throw NetworkClientError(.invalidRequest, "the reply is no stream that can be decoded")
    }

    /// The events with their names and identifiers.
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
