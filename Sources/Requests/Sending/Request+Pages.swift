// SPDX-License-Identifier: Apache-2.0

public import StrataCore
public import StrataEncoding

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

extension Request {
    /// The pages of a list, from this request on, along the `Link` fields with relation `next` (RFC 8288).
    ///
    /// The target replaces the URL; method, fields and body stay. When the origin changes, also because the page that
    /// has the link was redirected, `Authorization`, `Cookie`, `Host`, `Origin`, fields marked sensitive and user
    /// information in the URL are dropped. The client and its session do not add such fields there either, except at
    /// the origin of the client's base URL.
    ///
    /// A step from `https` to `http` and a page that was seen already are errors. So is a status of 400 or above,
    /// because a page that is missing would look like the end.
    public func pages(
        session: URLSession? = nil, client: (any NetworkClientProtocol)? = nil
    ) -> Pages<Response> {
        let carrier = Self.carrier(client, session)
        return Pages(checkingStatus) { request in
            try await request.receive(through: carrier(request))
        } page: {
            $0.value
        } next: { request, received, links in
            try request.nextPage(
                after: received.head, from: received.value.urlResponse.url, &links, client: carrier(request))
        }
    }

    /// The same, each page read as a model.
    public func pages<Model: Decodable & SendableMetatype>(
        of type: Model.Type, decoder: (any ResponseBodyDecoder)? = nil, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil
    ) -> Pages<ResponseModel<Model>> {
        let carrier = Self.carrier(client, session)
        return Pages(checkingStatus) { request in
            try await request.receive(type, decoder: decoder, through: carrier(request))
        } page: {
            $0.value
        } next: { request, received, links in
            try request.nextPage(
                after: received.head, from: received.value.urlResponse.url, &links, client: carrier(request))
        }
    }

    /// The pages of a list, from this request on, where a closure makes the next request from a page.
    ///
    ///     request.pages(of: UserPage.self) { page in
    ///         page.responseModel.cursor.map { cursor in request.adding(QueryItems { ("cursor", cursor) }) }
    ///     }
    ///
    /// - `next`: `nil` ends the sequence. A request that names a client is sent through that one. Any other is sent as
    ///   the first page was, whatever its session. `session` and `client` of this call win over both.
    public func pages<Model: Decodable & SendableMetatype>(
        of type: Model.Type, decoder: (any ResponseBodyDecoder)? = nil, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil, next: @escaping @Sendable (ResponseModel<Model>) throws -> Request?
    ) -> Pages<ResponseModel<Model>> {
        let carrier = Self.carrier(client, session)
        return Pages(checkingStatus) { request in
            // A session that a request names cannot be told from the default one.
            let sender = request.client == nil ? self : request
            return try await request.receive(type, decoder: decoder, through: carrier(sender))
        } page: {
            $0.value
        } next: { _, received, _ in
            try next(received.value)?.checkingStatus
        }
    }

    /// Decides which client sends a page. It is called when the page is asked for, because a `withClient` scope may
    /// have begun or ended since the sequence was made.
    private static func carrier(
        _ client: (any NetworkClientProtocol)?, _ session: URLSession?
    ) -> @Sendable (Request) -> any NetworkClientProtocol {
        let client = scopedClient ?? client
        return { $0.resolvedClient(client, session: session) }
    }

    private var checkingStatus: Request {
        var request = self
        request.configuration.parseHTTPStatusErrors = true
        return request
    }
}
