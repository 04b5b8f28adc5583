// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HTTPTypes
public import OpenAPIRuntime
public import StrataCore

/// Carries the calls of a client that swift-openapi-generator has made.
///
///     let client = Client(
///         serverURL: try Servers.Server1.url(),
///         transport: StrataClientTransport(client: NetworkClient(baseURL: try Servers.Server1.url(), middleware: [RetryMiddleware()])))
///
/// - The middleware of the given client run, with its options, its default fields and its clock. Its base URL is not used for the
///   calls: the server's URL is the generated client's. Credentials that are bound to the base URL need the same one there.
/// - Every status is a value: the generated code knows which ones the document has. So are redirects, unless `redirects` says
///   otherwise.
/// - The operation's ID stands in the names of spans and in the labels of metrics (as `url.template`: `/listPets`), and for middleware in
///   ``OpenAPIOperation``.
/// - A body that can be iterated once is sent once: no layer repeats the request.
/// - Bodies of requests and responses are streamed. A request without a body has none, one with an empty body has
///   `Content-Length: 0`. A response has `nil` where there can be no body: to HEAD, and with 204 and 304.
///
/// Errors are `NetworkClientError`, which the generated client wraps in `ClientError.underlyingError`; the body of a response throws
/// them while it is read.
public struct StrataClientTransport: ClientTransport {
    private let client: any NetworkClientProtocol
    private let redirects: RedirectPolicy
    private let options: RequestOptions.Override?

    /// - `redirects`: which redirects are followed. Default: none.
    /// - `options`: changes the options of every request, such as its timeouts.
    public init(
        client: any NetworkClientProtocol, redirects: RedirectPolicy = .manual, options: RequestOptions.Override? = nil
    ) {
        self.client = client
        self.redirects = redirects
        self.options = options
    }

    public func send(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?) {
        let operation = OpenAPIOperation.Operation(id: operationID, baseURL: baseURL)
        let networkRequest = NetworkRequest<RequestBody, VoidResponse>(
            path: RequestPath(raw: try Self.url(of: request, below: baseURL)), method: request.method,
            body: try await body?.requestBody(), headerFields: request.headerFields,
            options: { [redirects, options] in
                $0.redirects = redirects
                $0.urlTemplate = operationID
                options?(&$0)
                $0[OpenAPIOperation.self] = operation
            })
        let response = try await client.execute(try client.makeTransportRequest(networkRequest))
        return (response.head, HTTPBody.of(response, to: request.method))
    }

    /// The path of the base URL and then that of the request, which is below it.
    static func url(of request: HTTPRequest, below baseURL: URL) throws -> String {
        var base = baseURL.absoluteString
        if let end = base.firstIndex(where: { $0 == "?" || $0 == "#" }) { base = String(base[..<end]) }
        guard baseURL.host != nil else {
            throw NetworkClientError(.malformedURL, "the server's URL has no host: a document's may be relative")
        }
        while base.hasSuffix("/") { base.removeLast() }
        let path = request.path ?? ""
        return base + (path.isEmpty || path.hasPrefix("/") ? path : "/" + path)
    }
}
