// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// The pages of a list, one request a page, each sent when it is asked for.
///
///     for try await page in request.pages(of: [User].self) {
///         users += page.responseModel
///     }
///
/// It ends with the page that names no next one. Every loop begins anew at the first page.
public struct Pages<Page>: AsyncSequence, Sendable {
    public typealias Element = Page

    let first: Request
    let send: @Sendable (Request) async throws -> Page
    let next: @Sendable (Page, inout Set<String>) throws -> Request?

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self, request: first) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let pages: Pages
        var request: Request?
        /// The URLs of pages that were seen, so that a circle is noticed.
        var seen: Set<String> = []

        /// - Throws: ``RequestError``; `CancellationError`. After that there are no more pages.
        public mutating func next() async throws -> Page? {
            try await next(isolation: #isolation)
        }

        /// The same, in the caller's isolation.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Page? {
            guard let request else { return nil }
            self.request = nil
            let page = try await pages.send(request)
            self.request = try pages.next(page, &seen)
            return page
        }
    }
}

extension Request {
    /// The pages of a list, from this request on, along the `Link` fields with relation `next` (RFC 8288).
    ///
    /// The target replaces the URL; method, fields and body stay. On a change of origin `Authorization`, `Cookie` and
    /// fields marked sensitive are dropped; a step from `https` to `http` and a page that was seen already are errors. A
    /// status of 400 or above is an error too, for a page that is missing would look like the end.
    public func pages(
        session: URLSession? = nil, client: (any NetworkClientProtocol)? = nil
    ) -> Pages<Response> {
        let client = resolvedClient(client, session: session)
        return Pages(first: checkingStatus) { request in
            try await request.send(through: client)
        } next: { page, seen in
            try page.request.nextPage(after: page.urlResponse, seen: &seen, client: client)
        }
    }

    /// The same, each page read as a model.
    public func pages<Model: Decodable & SendableMetatype>(
        of type: Model.Type, decoder: (any ResponseBodyDecoder)? = nil, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil
    ) -> Pages<ResponseModel<Model>> {
        let client = resolvedClient(client, session: session)
        return Pages(first: checkingStatus) { request in
            try await request.send(type, decoder: decoder, through: client)
        } next: { page, seen in
            try page.request.nextPage(after: page.urlResponse, seen: &seen, client: client)
        }
    }

    /// The pages of a list, from this request on, where a closure makes the next request from a page.
    ///
    ///     request.pages(of: UserPage.self) { page in
    ///         page.responseModel.cursor.map { cursor in request.adding(QueryItems { ("cursor", cursor) }) }
    ///     }
    ///
    /// - `next`: `nil` ends the sequence.
    public func pages<Model: Decodable & SendableMetatype>(
        of type: Model.Type, decoder: (any ResponseBodyDecoder)? = nil, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil, next: @escaping @Sendable (ResponseModel<Model>) throws -> Request?
    ) -> Pages<ResponseModel<Model>> {
        let client = resolvedClient(client, session: session)
        return Pages(first: checkingStatus) { request in
            try await request.send(type, decoder: decoder, through: client)
        } next: { page, _ in
            try next(page)?.checkingStatus
        }
    }

    private var checkingStatus: Request {
        var request = self
        request.configuration.parseHTTPStatusErrors = true
        return request
    }
}
