// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension NetworkClientProtocol {
    /// The pages of a list, from this request on, along the `Link` fields with relation `next` (RFC 8288).
    ///
    ///     for try await page in client.pages(of: NetworkRequest<VoidRequest, [Post]>(path: "posts", method: .get)) {
    ///         posts += page.value
    ///     }
    ///
    /// The target, which may be relative, replaces the URL; method, fields and body stay. When the origin changes, also
    /// because the page that has the link was redirected, `Authorization`, `Cookie`, `Host`, `Origin`, fields marked
    /// sensitive and user information in the URL are dropped. The client does not add such fields there either.
    ///
    /// A step from `https` to `http` and a page that was seen already are errors.
    public func pages<RequestModel: Sendable, Model: Sendable>(
        of request: NetworkRequest<RequestModel, Model>
    ) -> Pages<NetworkResponse<Model>> {
        Pages(request) {
            try await runDecodingConcurrently($0)
        } page: {
            $0
        } next: { request, page, links in
            try next(after: page, of: request, &links)
        }
    }

    /// The same, where a closure makes the next request from a page.
    ///
    ///     client.pages(of: first) { page in
    ///         page.value.cursor.map { NetworkRequest(path: "users?cursor=\($0)", method: .get) }
    ///     }
    ///
    /// - `next`: `nil` ends the sequence.
    public func pages<RequestModel: Sendable, Model: Sendable>(
        of request: NetworkRequest<RequestModel, Model>,
        next: @escaping @Sendable (NetworkResponse<Model>) throws -> NetworkRequest<RequestModel, Model>?
    ) -> Pages<NetworkResponse<Model>> {
        Pages(request) {
            try await runDecodingConcurrently($0)
        } page: {
            $0
        } next: { _, page, _ in
            try next(page)
        }
    }

    /// The request for the page that a response names as the next; `nil` when it names none.
    private func next<RequestModel, Model>(
        after page: NetworkResponse<Model>, of request: NetworkRequest<RequestModel, Model>, _ links: inout PageLinks
    ) throws -> NetworkRequest<RequestModel, Model>? {
        let built = try makeTransportRequest(request)
        let answered = page.request.map { Origin(scheme: $0.scheme, authority: $0.authority) } ?? built.origin
        guard let target = try links.next(after: page.response, from: page.url ?? built.url) else { return nil }
        var request = request
        request.queryItems = nil
        let origin = Origin(scheme: target.scheme, authority: target.authority)
        // What a redirect has left behind does not come back with a link.
        if origin == built.origin, origin == answered {
            let base = request.baseURL ?? configuration.baseURL
            let isAtBase = base.flatMap { Origin($0) } == origin
            request.path = RequestPath(
                raw: try isAtBase ? target.text(userinfoOf: base?.absoluteString ?? "") : target.text)
            return request
        }
        request.path = RequestPath(raw: target.text)
        request.headerFields = request.headerFields.filter { !built.options.isOriginBound($0.name) }
        request.additionalHeaders = request.additionalHeaders?.filter { name, _ in
            HTTPField.Name(name).map { !built.options.isOriginBound($0) } ?? true
        }
        let change = request.options
        request.options = { options in
            change?(&options)
            options.isLedByLink = true
        }
        return request
    }
}
