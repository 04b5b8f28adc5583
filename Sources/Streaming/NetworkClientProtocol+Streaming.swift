// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

/// Responses that are read while they arrive.
///
/// Each call sends the request through the middleware and returns when the head is there. It throws what
/// ``StrataCore/NetworkClientProtocol/open(_:)`` throws: a status that is not acceptable, with the start of the body
/// in the error. Only the timeouts `connect` and `idle` apply, unless the request sets others. `Accept` is set
/// unless the request does.
extension NetworkClientProtocol {
    /// The server-sent events of one response.
    ///
    /// Any method will do: the APIs of language models want `POST`. The client's limit on the size of a response does
    /// not apply, because a stream has no end; one that the request sets does.
    ///
    /// - Throws: what ``StrataCore/NetworkClientProtocol/open(_:)`` throws; ``StrataCore/NetworkClientError`` with code
    ///   `unacceptableContentType`, and the start of the body, when the response is no `text/event-stream`.
    public func events<RequestModel, ResponseModel>(
        for request: NetworkRequest<RequestModel, ResponseModel>,
        options: ServerSentEvents.Options = ServerSentEvents.Options()
    ) async throws -> ServerSentEvents {
        let response = try await checkType(
            of: open(request.forStream()), as: "text/event-stream",
            decoder: request.decoder ?? configuration.defaultDecoder
        ) { $0 == "text/event-stream" }
        return ServerSentEvents(response, options: options)
    }

    /// The server-sent events of one response, each decoded from its data.
    ///
    ///     for try await chunk in try await client.events(for: request, decoding: Chunk.self, until: "[DONE]") { … }
    ///
    /// - `type`: `String` and `Data` take the data as it is; others are decoded by the request's or the client's
    ///   decoder.
    /// - `end`: how the server says that the stream is over. Default: the body's end.
    /// - Throws: as ``events(for:options:)``.
    public func events<RequestModel, ResponseModel, Model: Decodable>(
        for request: NetworkRequest<RequestModel, ResponseModel>, decoding type: Model.Type,
        until end: EventStreamEnd = .body, options: ServerSentEvents.Options = ServerSentEvents.Options()
    ) async throws -> DecodedEvents<Model> {
        try await events(for: request, decoding: .every(type, until: end), options: options)
    }

    /// The server-sent events of one response, decoded by their names.
    ///
    /// - Throws: as ``events(for:options:)``.
    public func events<RequestModel, ResponseModel, Model>(
        for request: NetworkRequest<RequestModel, ResponseModel>, decoding table: EventDecoding<Model>,
        options: ServerSentEvents.Options = ServerSentEvents.Options()
    ) async throws -> DecodedEvents<Model> {
        let events: ServerSentEvents = try await events(for: request, options: options)
        return DecodedEvents(.once(events), table: table, decoding: elementDecoding(of: request))
    }

    /// The lines of one response.
    ///
    /// - `maximumLength`: the most bytes that a line may have; more is an error with code `bodyTooLarge`.
    /// - Throws: what ``StrataCore/NetworkClientProtocol/open(_:)`` throws.
    public func lines<RequestModel, ResponseModel>(
        for request: NetworkRequest<RequestModel, ResponseModel>, maximumLength: Int = 16 << 20
    ) async throws -> TextLines {
        TextLines(try await open(request, accepting: "text/plain, */*;q=0.5"), maximumLength: maximumLength)
    }

    /// The models of one response in JSON Lines or as a JSON text sequence.
    ///
    /// - `skipsMalformed`: whether a text that cannot be decoded is skipped. Default: the sequence throws.
    /// - `maximumLength`: the most bytes that a text may have; more is an error with code `bodyTooLarge`.
    /// - Throws: what ``StrataCore/NetworkClientProtocol/open(_:)`` throws; ``StrataCore/NetworkClientError`` with code
    ///   `unacceptableContentType`, and the start of the body, when the response is of a type that holds no JSON.
    ///   Servers name these streams in many ways: everything with `json` in it passes, and so do `text/plain`,
    ///   `application/octet-stream` and no type at all.
    public func jsonLines<RequestModel, ResponseModel, Model: Decodable>(
        for request: NetworkRequest<RequestModel, ResponseModel>, decoding type: Model.Type = Model.self,
        skipsMalformed: Bool = false, maximumLength: Int = 16 << 20
    ) async throws -> JSONLines<Model> {
        let accepted = "application/jsonl, application/x-ndjson, application/json-seq, application/json;q=0.5"
        let decoding = elementDecoding(of: request)
        let response = try await checkType(
            of: open(request, accepting: accepted), as: "JSON Lines", decoder: decoding.decoder
        ) {
            guard let essence = $0 else { return true }
            return essence.contains("json") || essence == "text/plain" || essence == "application/octet-stream"
                || essence == "binary/octet-stream"
        }
        return JSONLines(
            response, using: decoding.decoder, skipsMalformed: skipsMalformed, maximumLength: maximumLength,
            onFailure: decoding.onFailure)
    }

    /// The bytes of one response.
    ///
    /// - Throws: what ``StrataCore/NetworkClientProtocol/open(_:)`` throws.
    public func bytes<RequestModel, ResponseModel>(
        for request: NetworkRequest<RequestModel, ResponseModel>
    ) async throws -> ResponseBytes {
        ResponseBytes(try await open(request, accepting: "*/*"))
    }
}

extension NetworkClientProtocol {
    func elementDecoding<RequestModel, ResponseModel>(
        of request: NetworkRequest<RequestModel, ResponseModel>
    ) -> ElementDecoding {
        ElementDecoding(
            decoder: request.decoder ?? configuration.defaultDecoder, onFailure: configuration.onDecodingFailure)
    }

    /// Sends the request through the middleware, among which there may be a layer that turns statuses into errors. An
    /// error of that layer gets the decoder, which the layer does not know. If its status is one of `statuses`, the
    /// response is returned all the same, without its body and with the record that the error had.
    func execute(
        _ request: TransportRequest, decoder: any ResponseBodyDecoder, answers statuses: Set<Int>
    ) async throws -> (TransportResponse, thrown: ExchangeRecord?) {
        do {
            return (try await execute(request), nil)
        } catch var error as NetworkClientError {
            if error.code == .unacceptableStatus, let head = error.response, statuses.contains(head.status.code) {
                return (TransportResponse(head: head), error.exchange)
            }
            error.decoder = error.decoder ?? decoder
            throw error
        }
    }

    /// Hands the response on when it is of the wanted type, or has no content at all.
    ///
    /// - `accepts`: gets the type without its parameters, which do not matter for events: the stream is UTF-8 whatever
    ///   charset they name (HTML standard §9.2.6).
    func checkType(
        of response: TransportResponse, as wanted: String, decoder: (any ResponseBodyDecoder)?,
        _ accepts: (String?) -> Bool
    ) async throws -> TransportResponse {
        if response.head.status.hasNoContent
            || accepts(HTTPFields.essence(of: response.head.headerFields[.contentType]))
        {
            return response
        }
        throw try await response.refusal(asStreamOf: wanted, decoder: decoder)
    }

    private func open<RequestModel, ResponseModel>(
        _ request: NetworkRequest<RequestModel, ResponseModel>, accepting types: String
    ) async throws -> TransportResponse {
        var request = request
        if request.headerFields[.accept] == nil { request.headerFields[.accept] = types }
        return try await open(request)
    }
}

extension TransportResponse {
    /// The error of a response that is not the stream that was asked for.
    package func refusal(
        asStreamOf wanted: String, decoder: (any ResponseBodyDecoder)?
    ) async throws -> NetworkClientError {
        let essence = HTTPFields.essence(of: head.headerFields[.contentType]).flatMap { $0.utf8.count > 100 ? nil : $0 }
        return try await refusal(
            .unacceptableContentType,
            "a stream of \(wanted) was asked for, and the response is of \(essence.map { "type \($0)" } ?? "no type")",
            decoder: decoder)
    }
}

extension NetworkRequest {
    /// The request with `Accept` and the options that a stream needs, unless it sets them itself. The client's limits
    /// on size and time do not hold, because a stream has no end.
    package func forStream(accepting types: String = "text/event-stream") -> Self {
        var request = self
        if request.headerFields[.accept] == nil { request.headerFields[.accept] = types }
        if request.headerFields[.cacheControl] == nil { request.headerFields[.cacheControl] = "no-store" }
        let change = options
        request.options = { options in
            options.makeOpenEnded()
            options.maximumResponseBytes = nil
            options.delivery = .eventStream
            change?(&options)
        }
        return request
    }
}
