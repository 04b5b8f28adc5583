// SPDX-License-Identifier: Apache-2.0

public import StrataCore
public import StrataPublishers

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

extension Request {
    public typealias PublisherResponse = Response
    public typealias PublisherModelResponse<Model: Decodable> = ResponseModel<Model>

    /// A publisher of the whole response.
    ///
    ///     request.send()
    ///         .sink { completion in … } receiveValue: { print($0.urlResponse.statusCode) }
    ///
    /// Nothing is sent before a subscriber asks, each subscriber gets a request of its own, and cancelling ends it.
    ///
    /// A publisher that is kept for later needs its type: `let response: AnyPublisher<Request.Response, RequestError> =
    /// request.send()`.
    @_disfavoredOverload
    public func send(
        session: URLSession? = nil, client: (any NetworkClientProtocol)? = nil
    ) -> AnyPublisher<PublisherResponse, RequestError> {
        let client = resolvedClient(client, session: session)
        return publisher { try await send(through: client) }
    }

    /// A publisher of the response as a model.
    @_disfavoredOverload
    public func send<Model: Decodable & SendableMetatype>(
        decoder: (any ResponseBodyDecoder)? = nil, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil
    ) -> AnyPublisher<Model, RequestError> {
        let client = resolvedClient(client, session: session)
        return publisher { try await send(Model.self, decoder: decoder, through: client).responseModel }
    }

    /// A publisher of the response as a model, with its head.
    @_disfavoredOverload
    public func send<Model: Decodable & SendableMetatype>(
        decoder: (any ResponseBodyDecoder)? = nil, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil
    ) -> AnyPublisher<PublisherModelResponse<Model>, RequestError> {
        let client = resolvedClient(client, session: session)
        return publisher { try await send(Model.self, decoder: decoder, through: client) }
    }

    private func publisher<Output>(
        _ call: @escaping @Sendable () async throws -> Output
    ) -> AnyPublisher<Output, RequestError> {
        CallPublisher { () async throws(RequestError) -> Output in
            do {
                return try await call()
            } catch {
                throw requestError(error)
            }
        }.eraseToAnyPublisher()
    }
}
