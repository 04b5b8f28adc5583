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
        pages(Reading(type, decoder), Self.carrier(client, session))
    }

    /// The same for a model that may cross actors: a page of more than 64 KiB is decoded outside of the caller's.
    public func pages<Model: Decodable & Sendable>(
        of type: Model.Type, decoder: (any ResponseBodyDecoder)? = nil, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil
    ) -> Pages<ResponseModel<Model>> {
        pages(Reading(type, decoder, ConcurrentDecoding()), Self.carrier(client, session))
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
        pages(Reading(type, decoder), Self.carrier(client, session), next)
    }

    /// The same for a model that may cross actors: a page of more than 64 KiB is decoded outside of the caller's.
    public func pages<Model: Decodable & Sendable>(
        of type: Model.Type, decoder: (any ResponseBodyDecoder)? = nil, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil, next: @escaping @Sendable (ResponseModel<Model>) throws -> Request?
    ) -> Pages<ResponseModel<Model>> {
        pages(Reading(type, decoder, ConcurrentDecoding()), Self.carrier(client, session), next)
    }

    /// How a page is read.
    private struct Reading<Model: Decodable & SendableMetatype>: Sendable {
        var decoder: (any ResponseBodyDecoder)?
        var concurrent: ConcurrentDecoding<Model>?

        init(
            _ type: Model.Type, _ decoder: (any ResponseBodyDecoder)?, _ concurrent: ConcurrentDecoding<Model>? = nil
        ) {
            self.decoder = decoder
            self.concurrent = concurrent
        }

        func receive(
            _ request: Request, through client: any NetworkClientProtocol
        ) async throws -> Received<ResponseModel<Model>> {
            try await request.receive(Model.self, decoder: decoder, through: client, concurrent)
        }
    }

    private typealias Carrier = @Sendable (Request) -> any NetworkClientProtocol

    private func pages<Model>(_ reading: Reading<Model>, _ carrier: @escaping Carrier) -> Pages<ResponseModel<Model>> {
        Pages(checkingStatus) { request in
            try await reading.receive(request, through: carrier(request))
        } page: {
            $0.value
        } next: { request, received, links in
            try request.nextPage(
                after: received.head, from: received.value.urlResponse.url, &links, client: carrier(request))
        }
    }

    private func pages<Model>(
        _ reading: Reading<Model>, _ carrier: @escaping Carrier,
        _ next: @escaping @Sendable (ResponseModel<Model>) throws -> Request?
    ) -> Pages<ResponseModel<Model>> {
        Pages(checkingStatus) { request in
            // A session that a request names cannot be told from the default one.
            try await reading.receive(request, through: carrier(request.client == nil ? self : request))
        } page: {
            $0.value
        } next: { _, received, _ in
            try next(received.value)?.checkingStatus
        }
    }

    /// Decides which client sends a page. It is called when the page is asked for, because a `withClient` scope may
    /// have begun or ended since the sequence was made.
    private static func carrier(_ client: (any NetworkClientProtocol)?, _ session: URLSession?) -> Carrier {
        let client = scopedClient ?? client
        return { $0.resolvedClient(client, session: session) }
    }

    private var checkingStatus: Request {
        var request = self
        request.configuration.parseHTTPStatusErrors = true
        return request
    }
}
