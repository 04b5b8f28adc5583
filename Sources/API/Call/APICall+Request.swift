// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataEncoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
            throw NetworkClientError(.invalidRequest, "the method is not a token")
        }
        let encoders = CallEncoders(own: encoders, provider: provider)
        let encoded = try CallBody(content, format: bodyFormat, encoders)
        let path = RequestPath(
            text: try path(encoders.query), template: absoluteTarget == nil && !template.isEmpty ? template : nil)
        var request = NetworkRequest<CallBody, Model>(
            path: path, method: method, body: encoded, headerFields: fields)
        // The type's `@Headers` may name one for all; without a body there is nothing that it could describe.
        if encoded == nil { request.headerFields[.contentType] = nil }
        let overrides = overrides
        if !overrides.isEmpty { request.options = { options in for change in overrides { change(&options) } } }
        return request
    }

    private func path(_ encoder: QueryEncoder) throws -> String {
        let added = try queryText(encoder)
        guard let target = absoluteTarget else {
            let path = try pathFilling.path(of: template)
            // A value is no reason to go to another host.
            let isMoved = RequestURL.isAbsolute(path) && !RequestURL.isAbsolute(template)
            return Self.adding(added, to: isMoved ? "/" + path : path)
        }
        let reference = URLReference(target)
        if let scheme = reference.scheme {
            guard ["http", "https"].contains(scheme) else {
                throw NetworkClientError(.malformedURL, "the target's scheme is neither http nor https")
            }
            // RFC 9110 §4.2.1. The client would take the rest for a path below its base URL.
            guard reference.authority?.isEmpty == false else {
                throw NetworkClientError(.malformedURL, "the target has no host")
            }
        }
        let base = provider.client.configuration.baseURL.map { URLReference($0.absoluteString) }
        var resolved = base?.resolving(reference) ?? reference
        resolved.fragment = nil
        return Self.adding(added, to: resolved.text)
    }

    private func queryText(_ encoder: QueryEncoder) throws -> String {
        do {
            return try encoder.entries(of: query).queryText()
        } catch {
            throw NetworkClientError.encodingFailed("query", cause: error)
        }
    }

    /// What the path brings of a query stays in front.
    private static func adding(_ query: String, to path: String) -> String {
        if query.isEmpty { return path }
        guard let mark = path.firstIndex(of: "?") else { return "\(path)?\(query)" }
        let isOpen = path.index(after: mark) == path.endIndex || path.last == "&"
        return isOpen ? path + query : "\(path)&\(query)"
    }
}
