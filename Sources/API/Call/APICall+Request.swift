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
            throw NetworkClientError(.invalidRequest, "the method is no token")
        }
        // Parts of JSON need one of this kind.
        let json = encoders[.json] as? JSONEncoder
        let encoded = try CallBody(
            content, format: bodyFormat, encoder: encoders[bodyFormat],
            defaultEncoder: json ?? provider.client.configuration.defaultEncoder)
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
        return queryText.appended(to: resolved.text)
    }
}
