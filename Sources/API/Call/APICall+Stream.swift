// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Logging
import StrataCore
public import StrataStreaming

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Streams: the call returns when the head is there, and throws for a status or a media type that is wrong. Elements are
// pulled one by one; ending the loop cancels the request.

extension APICall {
    /// The elements as models, decoded from each event's data or from each line. `String` takes the data as it is.
    public func send<Element: Decodable>(
        as type: AsyncThrowingStream<Element, any Error>.Type
    ) async throws -> AsyncThrowingStream<Element, any Error> {
        try await elements(Element.self).throwingStream()
    }

    /// The same; an error ends the stream, and is logged.
    public func send<Element: Decodable>(as type: AsyncStream<Element>.Type) async throws -> AsyncStream<Element> {
        try await elements(Element.self).stream(logger: provider.logger)
    }

    /// The events with their names and identifiers.
    public func send(
        as type: AsyncThrowingStream<ServerSentEvent, any Error>.Type
    ) async throws -> AsyncThrowingStream<ServerSentEvent, any Error> {
        try await events().throwingStream()
    }

    /// The same; an error ends the stream, and is logged.
    public func send(as type: AsyncStream<ServerSentEvent>.Type) async throws -> AsyncStream<ServerSentEvent> {
        try await events().stream(logger: provider.logger)
    }

    /// The bytes of a body as they arrive, whatever its type.
    public func send(
        as type: AsyncThrowingStream<Data, any Error>.Type
    ) async throws -> AsyncThrowingStream<Data, any Error> {
        try await bytes().throwingStream()
    }

    /// The same; an error ends the stream, and is logged.
    public func send(as type: AsyncStream<Data>.Type) async throws -> AsyncStream<Data> {
        try await bytes().stream(logger: provider.logger)
    }

    // MARK: -

    private func open(accepting types: String) async throws -> TransportResponse {
        var request = try request(for: VoidResponse.self)
        if request.headerFields[.accept] == nil { request.headerFields[.accept] = types }
        let change = request.options
        request.options = { options in
            options.maximumResponseBytes = nil
            options.delivery = .eventStream
            change?(&options)
        }
        request.decoder = responseDecoder
        let final = request
        return try await modelling { try await provider.client.open(final) }
    }

    private func bytes() async throws -> StreamPump<Data> {
        var iterator = try await open(accepting: "*/*").body.makeAsyncIterator()
        return StreamPump { try await iterator.next() }
    }

    private func events() async throws -> StreamPump<ServerSentEvent> {
        let response = try await open(accepting: "text/event-stream")
        guard StreamKind(response.head) == .events else { throw await wrongType(response) }
        var iterator = ServerSentEvents(response).makeAsyncIterator()
        let end = streamEnd
        return StreamPump {
            guard let event = try await iterator.next(), end?.matches(event) != true else { return nil }
            return event
        }
    }

    private func elements<Element: Decodable>(_ type: Element.Type) async throws -> StreamPump<Element> {
        let response = try await open(accepting: "text/event-stream")
        let decoder = responseDecoder
        // Inside of an element, text is a value to be decoded.
        if decoder.decodesPartOfBody, type == String.self || type == String?.self {
            let boxes = try await elements(ElementBox<Element>.self, of: response, decoder: decoder)
            return StreamPump { try await boxes.next()?.value }
        }
        return try await elements(type, of: response, decoder: decoder)
    }

    private func elements<Element: Decodable>(
        _ type: Element.Type, of response: TransportResponse, decoder: any ResponseBodyDecoder
    ) async throws -> StreamPump<Element> {
        switch StreamKind(response.head) {
        case .events:
            let end = streamEnd ?? (type == String.self ? .body : "[DONE]")
            var iterator = ServerSentEvents(response).decoding(type, until: end, using: decoder).makeAsyncIterator()
            return StreamPump { try await iterator.next() }
        case .lines where type == String.self:
            var iterator = TextLines(response).makeAsyncIterator()
            return StreamPump { try await iterator.next() as? Element }
        case .lines:
            var iterator = JSONLines(response, decoding: type, using: decoder).makeAsyncIterator()
            return StreamPump { try await iterator.next() }
        case .other: throw await wrongType(response)
        }
    }

    private func wrongType(_ response: TransportResponse) async -> NetworkClientError {
        var error = NetworkClientError(
            .unacceptableContentType, "the response is neither a stream of events nor of JSON lines",
            response: response.head, body: await response.body.start(upTo: NetworkClientError.bodyLimit))
        error.exchange = response.exchange
        error.decoder = responseDecoder
        return error
    }
}

/// How the elements of a stream stand in its body.
enum StreamKind {
    case events
    case lines
    case other

    init(_ head: HTTPResponse) {
        // Nothing will come, of whatever type.
        if head.status.code == 204 || head.status.code == 205 {
            self = .lines
            return
        }
        let type = head.headerFields[.contentType]?.prefix { $0 != ";" }.trimmingSpaces().lowercased()
        switch type {
        case "text/event-stream": self = .events
        case nil, "text/plain", "application/octet-stream": self = .lines
        case let type?: self = type.contains("json") ? .lines : .other
        }
    }
}

extension Substring {
    fileprivate func trimmingSpaces() -> Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}

/// An element that a decoder has to decode although it is text.
private struct ElementBox<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
}
