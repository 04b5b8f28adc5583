// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import StrataURLSession

public import Foundation

extension Request {
    /// The request, the head of the answer, and its body.
    public typealias Response = (request: Request, urlResponse: HTTPURLResponse, data: Data)
    public typealias AsyncResponse = Response

    /// The request, the head of the answer, and its body as a model.
    public typealias ResponseModel<Model: Decodable> = (
        request: Request, urlResponse: HTTPURLResponse, responseModel: Model
    )

    /// Sends the request and waits for the whole answer.
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

    /// Sends the request and reads the answer as a model.
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

    /// Sends the request and reads the answer as a model, with its head.
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
}

extension Request {
    func send(through client: any NetworkClientProtocol) async throws -> Response {
        do {
            let built = try client.makeTransportRequest(networkRequest())
            let response = try await client.execute(built)
            let urlResponse = try urlResponse(of: response)
            let answer: Response = (self, urlResponse, try await collect(response, options: built.options))
            try check(answer, of: response, options: built.options)
            return answer
        } catch {
            throw thrown(error)
        }
    }

    func send<Model: Decodable>(
        _ type: Model.Type, decoder: (any ResponseBodyDecoder)?, through client: any NetworkClientProtocol
    ) async throws -> ResponseModel<Model> {
        let decoder = decoder ?? self.decoder
        do {
            let built = try client.makeTransportRequest(
                networkRequest(accepting: decoder.acceptedContentTypes(for: type)))
            let response = try await client.execute(built)
            let urlResponse = try urlResponse(of: response)
            if !isAcceptable(response, options: built.options) {
                let data = try await collect(response, options: built.options)
                try check((self, urlResponse, data), of: response, options: built.options)
            }
            let model = try await client.decodeBody(of: response, as: type, options: built.options, decoder: decoder)
            return (self, urlResponse, model)
        } catch {
            throw thrown(error)
        }
    }

    private func urlResponse(of response: TransportResponse) throws -> HTTPURLResponse {
        let url = response.url.flatMap { URL(string: $0) } ?? url
        guard
            let result = response.head.urlResponse(for: url, httpVersion: response.metrics?.httpVersion)
        else { throw URLError(.badServerResponse) }
        return result
    }

    private func collect(_ response: TransportResponse, options: RequestOptions) async throws -> Data {
        do {
            return try await response.body.collect(upTo: options.maximumResponseBytes ?? ResponseBody.defaultLimit)
        } catch var error as NetworkClientError {
            error.response = error.response ?? response.head
            error.exchange = error.exchange ?? response.exchange
            throw error
        }
    }

    private func isAcceptable(_ response: TransportResponse, options: RequestOptions) -> Bool {
        response.isStatusAccepted || options.acceptableStatus.accepts(response.head.status)
    }

    private func check(_ answer: Response, of response: TransportResponse, options: RequestOptions) throws {
        guard !isAcceptable(response, options: options) else { return }
        let error = NetworkClientError(
            .unacceptableStatus, "the server answered with status \(response.head.status.code)",
            response: response.head, body: answer.data.prefix(NetworkClientError.bodyLimit),
            exchange: response.exchange)
        guard let httpError = RequestError.HTTPError(response: answer) else { throw error }
        var request = self
        request.failure = error
        throw RequestError.httpStatus(request: request, error: httpError)
    }
}
