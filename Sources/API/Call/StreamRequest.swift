// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataEncoding
import StrataStreaming

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A call whose response is read while it arrives. It may be made several times.
struct StreamRequest: Sendable {
    private let request: Result<NetworkRequest<CallBody, VoidResponse>, any Error>
    private let client: any NetworkClientProtocol
    private let errorModelling: ErrorModelling
    private let decoder: any ResponseBodyDecoder
    private let end: EventStreamEnd?
    private let names: [String]?
    private let options: ServerSentEvents.Options

    init(_ call: APICall) {
        request = Result { try call.request(for: VoidResponse.self) }
        client = call.provider.client
        errorModelling = call.errorModelling
        decoder = call.responseDecoder
        end = call.streamEnd
        names = call.eventNames
        options = call.streamOptions
    }

    func bytes() async throws -> StreamPump<Data> {
        var iterator = try await open(accepting: "*/*").body.makeAsyncIterator()
        return StreamPump { try await iterator.next() }
    }

    func events() async throws -> StreamPump<ServerSentEvent> {
        try await elements(.asTheyCome(names))
    }

    /// The elements as the table makes them of events, by their names.
    func elements<Element>(_ table: EventDecoding<Element>) async throws -> StreamPump<Element> {
        let response = try await open(accepting: "text/event-stream")
        switch StreamKind(response.head) {
        case .events: return elements(end.map(table.until) ?? table, of: response)
        case .nothing: return StreamPump { nil }
        case .lines, .json, .other: throw try await wrongType(response, wanted: "text/event-stream")
        }
    }

    func elements<Element: Decodable>(_ type: Element.Type) async throws -> StreamPump<Element> {
        if type == Data.self {
            let pieces = try await bytes()
            return StreamPump { try await pieces.next() as? Element }
        }
        let response = try await open(accepting: "text/event-stream")
        // Inside of an element, text is a value to be decoded.
        if decoder.decodesPartOfBody, type == String.self {
            let boxes = try await elements(TextBox.self, of: response)
            return StreamPump { try await boxes.next()?.text as? Element }
        }
        if decoder.decodesPartOfBody, type == String?.self {
            let boxes = try await elements(TextBox?.self, of: response)
            return StreamPump { try await boxes.next().flatMap { $0?.text as String? as? Element } }
        }
        return try await elements(type, of: response)
    }

    private func elements<Element: Decodable>(
        _ type: Element.Type, of response: TransportResponse
    ) async throws -> StreamPump<Element> {
        switch StreamKind(response.head) {
        case .events:
            // `[DONE]` is no JSON: no model can be meant by it.
            let end = end ?? (type == String.self ? .body : "[DONE]")
            let table = names.map { .named($0, type, until: end) } ?? EventDecoding.every(type, until: end)
            return elements(table, of: response)
        case .nothing: return StreamPump { nil }
        // Lines have no names to choose from.
        case .lines where names == nil: return lines(type, of: response)
        case .json where names == nil: return lines(type, of: try await checkLines(of: response, as: type))
        case .lines, .json, .other:
            let wanted = "text/event-stream" + (names == nil ? " or JSON Lines" : "")
            throw try await wrongType(response, wanted: wanted)
        }
    }

    private func elements<Element>(
        _ table: EventDecoding<Element>, of response: TransportResponse,
        isolation actor: isolated (any Actor)? = #isolation
    ) -> StreamPump<Element> {
        var iterator = ServerSentEvents(response, options: options)
            .decoding(table, using: decoder, onFailure: client.configuration.onDecodingFailure).makeAsyncIterator()
        let errorModelling = errorModelling
        return StreamPump(on: actor) { try await errorModelling.applied { try await iterator.next() } }
    }

    private func lines<Element: Decodable>(
        _ type: Element.Type, of response: TransportResponse, isolation actor: isolated (any Actor)? = #isolation
    ) -> StreamPump<Element> {
        if type == String.self, !response.head.isJSONTextSequence {
            // In JSON a carriage return is white space.
            let lines = TextLines(response, at: .lineFeed, maximumLength: options.maximumEventSize)
            var iterator = lines.makeAsyncIterator()
            return StreamPump { try await iterator.next() as? Element }
        }
        let lines = JSONLines(
            response, decoding: type, using: decoder, maximumLength: options.maximumEventSize,
            onFailure: client.configuration.onDecodingFailure)
        var iterator = lines.makeAsyncIterator()
        let errorModelling = errorModelling
        return StreamPump(on: actor) { try await errorModelling.applied { try await iterator.next() } }
    }

    /// Looks at the first line of `application/json`: some servers call JSON Lines by this name, and others say with one
    /// JSON text why there is no stream.
    private func checkLines<Element: Decodable>(
        of response: TransportResponse, as type: Element.Type
    ) async throws -> TransportResponse {
        var response = response
        var peeked: PeekedSource?
        response.body = response.body.mapSource(length: response.body.length) { source in
            let source = PeekedSource(source)
            peeked = source
            return source
        }
        let line = try await peeked?.firstLine(upTo: NetworkClientError.bodyLimit) ?? Data()
        // A line in another charset is left to its decoder.
        let isWhole = (try? JSONValue(parsing: line)) != nil || String(validating: line, as: UTF8.self) == nil
        if line.isEmpty || isWhole && decoder.reads(type, in: line, of: response.head) { return response }
        throw try await wrongType(response, wanted: "text/event-stream or JSON Lines")
    }

    private func open(accepting types: String) async throws -> TransportResponse {
        var request = try request.get().forStream(accepting: types)
        request.decoder = decoder
        let final = request
        return try await errorModelling.applied { try await client.open(final) }
    }

    private func wrongType(_ response: TransportResponse, wanted: String) async throws -> any Error {
        errorModelling.modelled(try await response.refusal(asStreamOf: wanted, decoder: decoder))
    }
}

/// How the elements of a stream stand in its body.
private enum StreamKind {
    case events
    case lines
    /// One JSON text, or lines by a name that is not theirs.
    case json
    /// A response without content has no type.
    case nothing
    case other

    init(_ head: HTTPResponse) {
        switch MediaType(of: head)?.essence {
        case _ where head.status.hasNoContent: self = .nothing
        case "text/event-stream": self = .events
        case let type? where type.hasSuffix("/json") || type.hasSuffix("+json"): self = .json
        case let type?: self = type.contains("json") ? .lines : .other
        case nil: self = .other
        }
    }
}

/// Text that a decoder has to decode.
private struct TextBox: Decodable, ModelStandIn {
    static var standsFor: any Any.Type { String.self }

    let text: String

    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
}
