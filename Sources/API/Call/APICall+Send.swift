// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

extension APICall {
    /// Sends, reads the response to its end, and checks the status.
    public func send() async throws {
        _ = try await run(VoidResponse.self)
    }

    /// Sends, and reads the response as a model.
    public func send<Model: Decodable>(as type: Model.Type) async throws -> Model {
        try await run(type).value
    }

    /// Sends, and hands the model over together with the head and the record of the exchange.
    public func send<Model: Decodable>(
        as type: NetworkResponse<Model>.Type
    ) async throws -> NetworkResponse<Model> {
        try await run(Model.self)
    }

    // `sending` takes nothing from what is `Sendable`; it tells the next two from those above.

    /// The same for a model that may cross actors: a large body is decoded outside of the caller's.
    public func send<Model: Decodable & Sendable>(as type: Model.Type) async throws -> sending Model {
        try await run(type, concurrently: ConcurrentDecoding()).value
    }

    /// The same for a model that may cross actors: a large body is decoded outside of the caller's.
    public func send<Model: Decodable & Sendable>(
        as type: NetworkResponse<Model>.Type
    ) async throws -> sending NetworkResponse<Model> {
        try await run(Model.self, concurrently: ConcurrentDecoding())
    }

    /// Sends, and returns the head of a response whose body does not matter.
    public func send(as type: NetworkResponse<Void>.Type) async throws -> NetworkResponse<Void> {
        try await run(VoidResponse.self).withoutModel
    }

    /// Sends, and returns the fields of the response.
    public func send(as type: HTTPFields.Type) async throws -> HTTPFields {
        try await run(VoidResponse.self).response.headerFields
    }

    /// Sends, and returns the head of the response.
    public func send(as type: HTTPResponse.Type) async throws -> HTTPResponse {
        try await run(VoidResponse.self).response
    }

    /// Sends, and returns what the server has opened, such as a WebSocket.
    public func send<Reply: OpenedReply>(as type: Reply.Type) async throws -> Reply {
        let request = try request(for: VoidResponse.self)
        return try await errorModelling.applied { try await Reply.opened(by: provider.client, for: request) }
    }

    /// For an alias of `Void`.
    public func send(as type: Void.Type) async throws {
        try await send()
    }

    /// For the message alone.
    @_disfavoredOverload
    @available(*, unavailable, message: "an endpoint returns a Decodable type; a tuple is written out, not an alias")
    public func send<Reply>(as type: Reply.Type) async throws -> Reply {
        throw NetworkClientError(.invalidRequest, "the reply has no type that can be decoded")
    }

    /// Sends, and reads the response as a tuple.
    public func send<Tuple>(_ read: @escaping (inout TupleReader) throws -> Tuple) async throws -> Tuple {
        let reading = TupleReading(read: read)
        return try await run(TupleModel<Tuple>.self) { TupleDecoder(decoder: $0, reading: reading) }.value.tuple
    }

    /// Sends, and reads the response as a tuple; `nil` for 204, 205, an accepted 304, an empty body and `null`.
    public func send<Tuple>(
        optional read: @escaping (inout TupleReader) throws -> Tuple
    ) async throws -> Tuple? {
        let reading = TupleReading(read: read)
        return try await run(TupleModel<Tuple>?.self) { TupleDecoder(decoder: $0, reading: reading) }.value?.tuple
    }

    private func run<Model: Decodable>(
        _ type: Model.Type, concurrently: ConcurrentDecoding<Model>? = nil,
        wrapping: (any ResponseBodyDecoder) -> any ResponseBodyDecoder = { $0 }
    ) async throws -> NetworkResponse<Model> {
        var request = try request(for: type)
        request.concurrentDecoding = concurrently
        request.decoder = wrapping(responseDecoder)
        return try await errorModelling.applied { try await provider.client.run(request) }
    }
}

extension NetworkResponse<VoidResponse> {
    var withoutModel: NetworkResponse<Void> {
        NetworkResponse<Void>(value: (), response: response, exchange: exchange, request: request)
    }
}
