// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

/// A method that a client sends requests by, called as if it were a function.
///
///     let post: Post = try await client.get("posts/\(id)")
///     let made: Post = try await client.post("posts", body: draft, query: ["notify": true])
///     try await client.delete("users/\(name)")
///     let page = try await client.get("posts", query: ["page": 2], returning: NetworkResponse<[Post]>.self)
///
/// What the call returns is what the context wants: the decoded value, the whole `NetworkResponse`, or nothing. Then the
/// response is read to its end.
///
/// - `path`: below the client's base URL, or a complete URL; values in it are encoded.
/// - `body`: encoded by the client's encoder; what is a body already, such as `Data`, `String` and `MultipartForm`, is sent as
///   it is; `nil` is none.
/// - `query`: added to that of the path.
/// - `fields`: win over the client's default fields.
/// - `options`: changes the client's options for this call.
///
/// Throws what ``StrataCore/NetworkClientProtocol/run(_:)-(NetworkRequest<RequestModel,ResponseModel>)`` throws. Where the model
/// is `Sendable`, a body of more than 64 KiB is decoded outside of the caller's actor.
public struct HTTPVerb: Sendable {
    let method: HTTPMethod
    let client: any NetworkClientProtocol

    package init(_ method: HTTPMethod, of client: any NetworkClientProtocol) {
        self.method = method
        self.client = client
    }

    /// Sends, and reads the response's body to its end.
    public func callAsFunction<Body: Encodable>(
        _ path: RequestPath, body: Body = VoidRequest(), query: RequestQuery = [:], fields: HTTPFields = [:],
        options: RequestOptions.Override? = nil
    ) async throws {
        _ = try await client.run(request(path, body, query, fields, options, for: VoidResponse.self))
    }

    /// Sends, and reads the response's body as a model.
    public func callAsFunction<Body: Encodable, Model: Decodable>(
        _ path: RequestPath, body: Body = VoidRequest(), query: RequestQuery = [:], fields: HTTPFields = [:],
        options: RequestOptions.Override? = nil, returning: Model.Type = Model.self
    ) async throws -> Model {
        try await client.run(request(path, body, query, fields, options, for: Model.self)).value
    }

    /// Sends, and reads the response's body as a model, with its head.
    public func callAsFunction<Body: Encodable, Model: Decodable>(
        _ path: RequestPath, body: Body = VoidRequest(), query: RequestQuery = [:], fields: HTTPFields = [:],
        options: RequestOptions.Override? = nil, returning: NetworkResponse<Model>.Type = NetworkResponse<Model>.self
    ) async throws -> NetworkResponse<Model> {
        try await client.run(request(path, body, query, fields, options, for: Model.self))
    }

    private func request<Body: Encodable, Model: Decodable>(
        _ path: RequestPath, _ body: Body, _ query: RequestQuery, _ fields: HTTPFields,
        _ options: RequestOptions.Override?, for type: Model.Type
    ) throws -> NetworkRequest<Body, Model> {
        NetworkRequest(
            path: path, method: method, queryItems: try query.items, body: body, headerFields: fields, options: options)
    }
}

// `sending` takes nothing from what is `Sendable`; it tells these functions from those above, of which the compiler
// chooses one by the model.
extension HTTPVerb {
    /// The same for a model that may cross actors: a large body is decoded outside of the caller's.
    public func callAsFunction<Body: Encodable, Model: Decodable & Sendable>(
        _ path: RequestPath, body: Body = VoidRequest(), query: RequestQuery = [:], fields: HTTPFields = [:],
        options: RequestOptions.Override? = nil, returning: Model.Type = Model.self
    ) async throws -> sending Model {
        try await client.runDecodingConcurrently(request(path, body, query, fields, options, for: Model.self)).value
    }

    /// The same for a model that may cross actors: a large body is decoded outside of the caller's.
    public func callAsFunction<Body: Encodable, Model: Decodable & Sendable>(
        _ path: RequestPath, body: Body = VoidRequest(), query: RequestQuery = [:], fields: HTTPFields = [:],
        options: RequestOptions.Override? = nil, returning: NetworkResponse<Model>.Type = NetworkResponse<Model>.self
    ) async throws -> sending NetworkResponse<Model> {
        try await client.runDecodingConcurrently(request(path, body, query, fields, options, for: Model.self))
    }
}

extension NetworkClientProtocol {
    /// `run` as the client has it, a large body decoded outside of the caller's actor.
    func runDecodingConcurrently<Body, Model: Sendable>(
        _ request: NetworkRequest<Body, Model>
    ) async throws -> NetworkResponse<Model> {
        var request = request
        request.concurrentDecoding = ConcurrentDecoding()
        return try await run(request)
    }
}

extension NetworkClientProtocol {
    public var get: HTTPVerb { HTTPVerb(.get, of: self) }
    public var post: HTTPVerb { HTTPVerb(.post, of: self) }
    public var put: HTTPVerb { HTTPVerb(.put, of: self) }
    public var patch: HTTPVerb { HTTPVerb(.patch, of: self) }
    public var delete: HTTPVerb { HTTPVerb(.delete, of: self) }
    /// The response has no body; `returning: NetworkResponse<VoidResponse>.self` is its head.
    public var head: HTTPVerb { HTTPVerb(.head, of: self) }
    public var options: HTTPVerb { HTTPVerb(.options, of: self) }
}
