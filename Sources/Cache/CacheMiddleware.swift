// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

/// A private cache (RFC 9111): answers with responses that it has stored, and asks the server whether they are still valid.
///
///     configuration.middleware = [RetryMiddleware(), BearerAuthMiddleware(token: token), CacheMiddleware()]
///
/// What a response says decides: `Cache-Control`, `Expires`, `ETag`, `Last-Modified`, `Vary`. So does the request's own
/// `Cache-Control`: with `only-if-cached` it never reaches the network, and gets a 504 when nothing is stored that may be used.
/// Successful requests with unsafe methods remove what is stored for their URLs. Requests for ranges, and those with `no-store`
/// or conditions of their own, go past the cache.
///
/// A response is stored when its body has arrived whole; the reader gets the pieces as they come. A response to a request with
/// credentials is kept for requests with the same credentials alone. Those are the fields that the request marks as sensitive;
/// cookies are compared when there were some. When a layer further in adds credentials that the cache has not seen, nothing is
/// stored.
///
/// `ExchangeRecord.served` tells how a call was answered.
///
/// Place: inside whatever adds to a request (authentication, cookies, decoration), because the cache has to see what is sent.
public struct CacheMiddleware: NetworkMiddleware {
    package let store: any CacheStore
    package let options: CacheOptions
    let flights = Flights()

    /// - `store`: by default 64 MiB of memory.
    public init(store: any CacheStore = MemoryStore(), options: CacheOptions = CacheOptions()) {
        self.store = store
        self.options = options
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        let unseen = "the cache would not see whose response it stores"
        return MiddlewarePlacement(
            role: .cache,
            rules: [
                .inside(.redirects, because: "the end of a chain would be stored for its beginning"),
                .inside(.authentication, because: unseen),
                .inside(.cookies, because: unseen),
                .inside("API key", because: unseen),
                .inside(.decoration, because: "the cache would not see the fields that responses vary with"),
                .inside("URL decoration", because: "what is stored would be found by another URL than the one sent"),
                .outside(.recording, because: "answers of the cache would be recorded as the server's"),
                .once(because: "the inner one is never asked"),
            ])
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        guard let exchange = CacheExchange(request, cache: self) else { return try await pass(request, next: next) }
        return try await exchange.answer(next: next)
    }

    // A function of its own: calls that the cache answers need no memory for it.
    @inline(never)
    private func pass(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        if CacheDirectives(request.head.headerFields).has("only-if-cached") {
            return CacheExchange.unsatisfied(request, options)
        }
        var response = try await next(request)
        if !request.head.method.isSafe, (200..<400).contains(response.head.status.code) {
            for url in response.changedURLs(by: request) {
                flights.noteChange(of: url)
                await store.remove(url: url)
            }
        }
        let reason: CacheStatus.Forward = request.head.method.isSafe ? .bypass : .method
        CacheStatus(forwarded: reason).write(into: &response.head, options)
        return response
    }
}

extension HTTPRequest.Method {
    /// Whether it changes nothing at the server: the IANA HTTP method registry, column "safe".
    fileprivate var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        default: ["QUERY", "SEARCH", "PROPFIND", "REPORT", "PRI"].contains(rawValue)
        }
    }
}

extension TransportResponse {
    /// The URLs whose stored responses an unsafe request has made invalid (RFC 9111 §4.4): its own, and those that the
    /// response names at the same origin.
    fileprivate func changedURLs(by request: TransportRequest) -> [String] {
        let base = request.url
        let named = [HTTPField.Name.location, .contentLocation].compactMap { head.headerFields[$0] }
            .compactMap { try? RequestURL(URLReference(base).resolving(URLReference($0)), ignoresCredentials: true) }
            .filter { Origin(scheme: $0.scheme, authority: $0.authority) == request.origin }
        return [base] + named.map(\.text)
    }
}
