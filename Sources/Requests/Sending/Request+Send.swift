// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore
import StrataURLSession

public import Foundation

extension Request {
    /// The request, the head of the response, and its body.
    public typealias Response = (request: Request, urlResponse: HTTPURLResponse, data: Data)
    public typealias AsyncResponse = Response

    /// The request, the head of the response, and its body as a model.
    public typealias ResponseModel<Model: Decodable> = (
        request: Request, urlResponse: HTTPURLResponse, responseModel: Model
    )

    /// Sends the request and waits for the whole response.
    ///
    ///     let response = try await request.send()
    ///     print(response.urlResponse.statusCode)
    ///
    /// - Parameters:
    ///   - session: wins over what the request names.
    ///   - client: wins over the session.
    /// - Throws: ``RequestError``; `CancellationError`.
    @discardableResult
    public func send(
        session: URLSession? = nil, client: (any NetworkClientProtocol)? = nil
    ) async throws -> AsyncResponse {
        try await send(through: resolvedClient(client, session: session))
    }

    /// `send()` where the compiler takes the code for synchronous until it has read all of it: at the top level of a program.
    /// There it would choose the publisher, and then find nothing to wait for.
    @_disfavoredOverload
    public var send: @Sendable () async throws -> AsyncResponse {
        { try await send(session: nil, client: nil) }
    }

    /// Sends the request and reads the response as a model.
    ///
    ///     let users: [User] = try await request.send()
    ///
    /// `Accept` says what the decoder reads, unless the request has the field. `Data`, `String`, optionals and
    /// `VoidResponse` are read as ``StrataCore/NetworkClientProtocol/run(_:)`` reads them.
    ///
    /// - Parameters:
    ///   - decoder: wins over the request's.
    ///   - session: wins over what the request names.
    ///   - client: wins over the session.
    /// - Throws: ``RequestError``; `CancellationError`.
    public func send<Model: Decodable>(
        decoder: (any ResponseBodyDecoder)? = nil, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil
    ) async throws -> Model {
        try await send(Model.self, decoder: decoder, through: resolvedClient(client, session: session)).responseModel
    }

    /// The same for a model that may cross actors: a body of more than 64 KiB is decoded outside of the caller's.
    public func send<Model: Decodable & Sendable>(
        decoder: (any ResponseBodyDecoder)? = nil, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil
    ) async throws -> sending Model {  // `sending` tells it from the function above
        let client = resolvedClient(client, session: session)
        return try await receive(Model.self, decoder: decoder, through: client, ConcurrentDecoding()).value
            .responseModel
    }

    /// Sends the request and reads the response as a model, with its head.
    ///
    ///     let response: Request.ResponseModel<User> = try await request.send()
    ///
    /// - Throws: ``RequestError``; `CancellationError`.
    public func send<Model: Decodable>(
        decoder: (any ResponseBodyDecoder)? = nil, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil
    ) async throws -> ResponseModel<Model> {
        try await send(Model.self, decoder: decoder, through: resolvedClient(client, session: session))
    }

    /// The same for a model that may cross actors: a body of more than 64 KiB is decoded outside of the caller's.
    public func send<Model: Decodable & Sendable>(
        decoder: (any ResponseBodyDecoder)? = nil, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil
    ) async throws -> sending ResponseModel<Model> {  // `sending` tells it from the function above
        let client = resolvedClient(client, session: session)
        return try await receive(Model.self, decoder: decoder, through: client, ConcurrentDecoding()).value
    }
}

extension Request {
    /// A response together with its head, in which each field stands by itself. Foundation's response joins fields of
    /// one name.
    typealias Received<Value> = (value: Value, head: HTTPResponse)

    func send(through client: any NetworkClientProtocol) async throws -> Response {
        try await receive(through: client).value
    }

    func send<Model: Decodable>(
        _ type: Model.Type, decoder: (any ResponseBodyDecoder)?, through client: any NetworkClientProtocol
    ) async throws -> ResponseModel<Model> {
        try await receive(type, decoder: decoder, through: client).value
    }

    func receive(through client: any NetworkClientProtocol) async throws -> Received<Response> {
        do {
            var built = try client.makeTransportRequest(networkRequest())
            built.options.collectsBody()
            let (response, urlResponse) = try await exchange(built, through: client)
            let value: Response = (self, urlResponse, try await collect(response, options: built.options))
            return (value, response.head)
        } catch {
            throw thrown(error)
        }
    }

    func receive<Model: Decodable>(
        _ type: Model.Type, decoder: (any ResponseBodyDecoder)?, through client: any NetworkClientProtocol,
        _ concurrent: ConcurrentDecoding<Model>? = nil
    ) async throws -> Received<ResponseModel<Model>> {
        let decoder = decoder ?? self.decoder
        do {
            var built = try client.makeTransportRequest(networkRequest())
            built.options.collectsBody()
            let accepted = decoder.acceptedContentTypes(for: type)
            if built.head.headerFields[.accept] == nil, !accepted.isEmpty {
                built.head.headerFields[.accept] = accepted.joined(separator: ", ")
            }
            let (response, urlResponse) = try await exchange(built, through: client)
            let model = try await client.decodeBody(
                of: response, as: type, options: built.options, decoder: decoder, concurrent)
            let value: ResponseModel<Model> = (self, urlResponse, model)
            return (value, response.head)
        } catch {
            throw thrown(error)
        }
    }

    /// A response whose status is accepted; its body is still arriving.
    private func exchange(
        _ built: TransportRequest, through client: any NetworkClientProtocol
    ) async throws -> (TransportResponse, HTTPURLResponse) {
        let response = try await client.execute(built)
        let url = response.url.flatMap { URL(string: $0) } ?? url
        guard
            let urlResponse = response.head.urlResponse(for: url, httpVersion: response.metrics?.httpVersion)
        else { throw URLError(.badServerResponse) }
        guard response.isAccepted(by: built.options) else {
            throw try await refusal(of: response, urlResponse, options: built.options)
        }
        return (response, urlResponse)
    }

    private func collect(_ response: TransportResponse, options: RequestOptions) async throws -> Data {
        do {
            return try await response.body.collect(upTo: options.collectionLimit)
        } catch let error as NetworkClientError {
            throw response.attached(to: error)
        }
    }

    /// The error of a status that is not accepted. A failure of the body is ignored; what has come of it is kept.
    ///
    /// - Throws: `CancellationError` when the task was cancelled meanwhile.
    private func refusal(
        of response: TransportResponse, _ urlResponse: HTTPURLResponse, options: RequestOptions
    ) async throws -> any Error {
        let (error, data) = try await response.refusal(
            .unacceptableStatus, response.statusMessage, readingUpTo: options.collectionLimit)
        guard let httpError = RequestError.HTTPError(response: (self, urlResponse, data)) else { return error }
        var request = self
        request.failure = error
        return RequestError.httpStatus(request: request, error: httpError)
    }
}
