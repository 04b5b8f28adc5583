// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore
import StrataEncoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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

    /// Sends, and hands over the head of a response whose body does not matter.
    public func send(as type: NetworkResponse<Void>.Type) async throws -> NetworkResponse<Void> {
        try await run(VoidResponse.self).withoutModel
    }

    /// Sends, and hands over the fields of the response.
    public func send(as type: HTTPFields.Type) async throws -> HTTPFields {
        try await run(VoidResponse.self).response.headerFields
    }

    /// Sends, and hands over the head of the response.
    public func send(as type: HTTPResponse.Type) async throws -> HTTPResponse {
        try await run(VoidResponse.self).response
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

    /// Sends, and reads the response as a tuple; `nil` where there is none: 204, an empty body, `null`.
    public func send<Tuple>(
        optional read: @escaping (inout TupleReader) throws -> Tuple
    ) async throws -> Tuple? {
        let reading = TupleReading(read: read)
        return try await run(TupleModel<Tuple>?.self) { TupleDecoder(decoder: $0, reading: reading) }.value?.tuple
    }

    private func run<Model: Decodable>(
        _ type: Model.Type, wrapping: (any ResponseBodyDecoder) -> any ResponseBodyDecoder = { $0 }
    ) async throws -> NetworkResponse<Model> {
        var request = try request(for: type)
        request.decoder = wrapping(responseDecoder)
        return try await errorModelling.applied { try await provider.client.run(request) }
    }
}

extension NetworkResponse<VoidResponse> {
    var withoutModel: NetworkResponse<Void> {
        NetworkResponse<Void>(value: (), response: response, exchange: exchange, request: request)
    }
}

/// How the body of a failure is read: whole, whatever the key path or the tuple of a success.
struct ErrorModelling: Sendable {
    let model: (@Sendable (NetworkClientError) -> (any Error)?)?
    let decoder: any ResponseBodyDecoder

    /// Throws the endpoint's own model of an error in place of the client's, when the body is one.
    func applied<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch var error as NetworkClientError where error.code == .unacceptableStatus {
            error.decoder = decoder
            throw model?(error) ?? error
        }
    }
}

extension APICall {
    /// The endpoint's, the type's or the client's.
    private var wholeDecoder: any ResponseBodyDecoder { decoder ?? provider.client.configuration.defaultDecoder }

    /// The decoder of a success: at the key path.
    var responseDecoder: any ResponseBodyDecoder {
        keyPath.map { JSONKeyPathDecoder($0, decoder: wholeDecoder) } ?? wholeDecoder
    }

    var errorModelling: ErrorModelling { ErrorModelling(model: failureModel, decoder: wholeDecoder) }

    /// The call as the client knows it.
    ///
    /// - Throws: the first failure of what was put in; `malformedURL`; `encodingFailed`.
    func request<Model: Decodable>(for type: Model.Type) throws -> NetworkRequest<CallBody, Model> {
        if let failure { throw failure }
        guard let method = HTTPMethod(method) else {
            throw NetworkClientError(.invalidRequest, "the method is no token")
        }
        let encoded = try CallBody(
            content, format: bodyFormat, encoder: encoders[bodyFormat] ?? streamEncoder,
            defaultEncoder: provider.client.configuration.defaultEncoder)
        var request = NetworkRequest<CallBody, Model>(
            path: try path(), method: method, body: encoded, headerFields: fields)
        // The type's `@Headers` may name one for all; without a body there is nothing that it could describe.
        if encoded == nil { request.headerFields[.contentType] = nil }
        let overrides = overrides
        if !overrides.isEmpty { request.options = { options in for change in overrides { change(&options) } } }
        return request
    }

    private func path() throws -> String {
        guard let target = absoluteTarget else {
            let path = try pathFilling.path(of: template)
            // A value is no reason to go to another host.
            let isMoved = RequestURL.isAbsolute(path) && !RequestURL.isAbsolute(template)
            return queryText.appended(to: isMoved ? "/" + path : path)
        }
        let reference = URLReference(target)
        if reference.scheme != nil, !["http", "https"].contains(reference.scheme) {
            throw NetworkClientError(.malformedURL, "the target's scheme is neither http nor https")
        }
        let base = provider.client.configuration.baseURL.map { URLReference($0.absoluteString) }
        var resolved = base?.resolving(reference) ?? reference
        resolved.fragment = nil
        return queryText.appended(to: resolved.text)
    }
}
