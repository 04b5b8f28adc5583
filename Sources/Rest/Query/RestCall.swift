// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding

/// One request of a ``Rest`` property, from the URL to the value.
struct RestCall<Parent: Codable & SendableMetatype, Value: Codable & Sendable>: Sendable {
    let metadata: RestQueryMetadata<Parent, Value>
    let box: RestValueBox<Value>

    private var configuration: RestConfiguration { metadata.configuration }

    /// GET. The value in the response becomes the property's, unless a later request has finished already.
    func get() async throws -> RestOutcome<Value> {
        let number = box.begin()
        let response = try await send(.get, body: nil)
        let isToken = try await keepToken(of: response, mayReplace: false)
        // A token need not be the model too.
        let parent: Parent? =
            if isToken {
                try? configuration.decoder.decode(Parent.self, from: response.value, response: response.response)
            } else {
                try configuration.decode(Parent.self, from: response)
            }
        guard let parent else { return RestOutcome(value: box.value, response: response) }
        let value = metadata.part.value(parent)
        box.settle(number, with: value)
        return RestOutcome(value: value, response: response)
    }

    /// POST of the property's value, which stays as it is. A value that is written meanwhile is kept. Once the server
    /// has accepted the value, no earlier request replaces it.
    func post() async throws -> RestOutcome<Value> {
        let number = box.begin()
        let value = box.value
        let response = try await send(value)
        box.settle(number)
        return RestOutcome(value: value, response: response)
    }

    /// POST of a new value. When the server has accepted it, it becomes the property's, unless a later request has
    /// finished already.
    func post(_ newValue: Value) async throws -> RestOutcome<Value> {
        let number = box.begin()
        let response = try await send(newValue)
        box.settle(number, with: newValue)
        return RestOutcome(value: newValue, response: response)
    }

    private func send(_ value: Value) async throws -> NetworkResponse<Data> {
        let response = try await send(.post, body: try encoded(metadata.part.model(value)))
        _ = try await keepToken(of: response, mayReplace: true)
        return response
    }

    /// The encoder writes every value, `Data` and `String` too.
    private func encoded(_ model: some Encodable) throws -> EncodedBody {
        do {
            return try configuration.encoder.encodeBody(model)
        } catch let error as EncodingError {
            throw RestQueryError.encode(error)
        }
    }

    private func send(_ method: HTTPRequest.Method, body: EncodedBody?) async throws -> NetworkResponse<Data> {
        var fields = HTTPFields()
        let decoder = configuration.decoder
        let accepted = decoder.acceptedContentTypes
        if !accepted.isEmpty { try fields.setValue(accepted.joined(separator: ", "), for: .accept) }
        if metadata.bearer {
            if let token = try await storedToken() {
                try fields.setValue("Bearer \(token.value)", forName: "Authorization")
            } else if !configuration.sendsAnonymously {
                throw RestQueryError.bearer
            }
        }
        let timeout = configuration.timeout
        let parameters = method == .get ? try metadata.params.items : []
        // Below the host, whatever it looks like: a complete URL would take the token to another one.
        let path = metadata.path.hasPrefix("/") ? metadata.path : "/" + metadata.path
        let request = NetworkRequest<EncodedBody, Data>(
            path: path, method: method,
            queryItems: parameters.map { URLQueryItem(name: $0.name, value: $0.value) }, baseURL: try baseURL(),
            body: body, decoder: decoder, headerFields: fields
        ) { options in
            if let timeout { options.timeouts.deadline = timeout }
        }
        let response = try await configuration.client.run(request)
        // Of a call that was given up since the response came, neither value nor token is kept.
        try Task.checkCancellation()
        return response
    }

    private func baseURL() throws -> URL {
        let (scheme, host) = (configuration.scheme.lowercased(), configuration.host)
        if host.isEmpty, let url = configuration.client.configuration.baseURL { return url }
        // A scheme with a host, or a host with a scheme, a user or a path, would send the token somewhere else.
        guard scheme == "https" || scheme == "http",
            !host.isEmpty, !host.contains(where: { "/?#@\\".contains($0) || $0.isWhitespace }),
            let url = URL(string: configuration.baseURL)
        else {
            throw RestQueryError.urlValidation
        }
        return url
    }

    /// Stores the token, if that is what the response to a request without one holds, and the response comes from where
    /// the request was sent. Whoever could put a token of their own here would have the app work in their account.
    ///
    /// - Parameter mayReplace: whether a token that is stored already is replaced: by the answer to what was posted. A
    ///   GET, which sends no credentials, brings at most the first one.
    /// - Returns: whether it is stored.
    private func keepToken(of response: NetworkResponse<Data>, mayReplace: Bool) async throws -> Bool {
        guard !metadata.bearer, isFromHome(response),
            let token = try? JSONDecoder().decode(
                RestBearerToken.self, from: response.value, response: response.response)
        else { return false }
        if !mayReplace, try await storedToken() != nil { return false }
        try await withTokenStore { try await $0.save(json: token) }
        return true
    }

    /// Whether no redirect led to another origin.
    private func isFromHome(_ response: NetworkResponse<Data>) -> Bool {
        guard let request = response.request, let base = try? baseURL() else { return false }
        return Origin(scheme: request.scheme, authority: request.authority) == Origin(base)
    }

    /// A token without a value counts as none.
    private func storedToken() async throws -> RestBearerToken? {
        let token = try await withTokenStore { try await $0.load(as: RestBearerToken.self) }
        return token?.value.isEmpty == false ? token : nil
    }

    /// Wraps what a store throws, so that it is not taken for an error of the response, whatever its type.
    private func withTokenStore<Result>(
        _ use: (any TokenStore) async throws -> Result
    ) async throws(RestQueryError) -> Result {
        do {
            return try await use(configuration.tokenStore)
        } catch {
            throw .other(error)
        }
    }
}

/// What a request came to.
struct RestOutcome<Value: Sendable>: Sendable {
    let value: Value
    let response: NetworkResponse<Data>
}
