// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
public import OpenAPIRuntime
public import StrataCore
import Synchronization

/// Runs a `ClientMiddleware` of swift-openapi-runtime as one of Strata's layers, where it can stand between the others: inside of
/// retries, outside of a cache.
///
///     NetworkClient(baseURL: url, middleware: [RetryMiddleware(), OpenAPIMiddleware(signing)])
///
/// It sees the request as the generated client has made it: a path below the base URL, and the operation's ID. For a request of
/// another origin (a redirect), and for one that no generated client has made, the base URL is the origin, and the ID empty where there
/// is none. A body that it hands on as it got it is not copied. When it calls `next` again, that is one more attempt in the record.
public struct OpenAPIMiddleware: NetworkMiddleware {
    private let middleware: any ClientMiddleware

    public init(_ middleware: any ClientMiddleware) { self.middleware = middleware }

    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        let place = try Place(of: request)
        let body = request.body.isEmpty ? nil : request.body.httpBody
        let exchange = Mutex<(count: Int, response: TransportResponse?, body: HTTPBody?)>((0, nil, nil))
        let (head, responseBody) = try await middleware.intercept(
            place.head, body: body, baseURL: place.baseURL,
            operationID: request.options[OpenAPIOperation.self]?.id ?? ""
        ) { head, newBody, baseURL in
            var request = request
            request.head = try Place.absolute(head, below: baseURL)
            if newBody !== body { request.body = try await newBody?.requestBody() ?? .empty }
            let isFirst = exchange.withLock { exchange in
                exchange.count += 1
                return exchange.count == 1
            }
            if !isFirst { request.call?.nextAttempt(.other("\(type(of: middleware))")) }
            let response = try await next(request)
            let body = HTTPBody.of(response, to: head.method)
            exchange.withLock { $0 = ($0.count, response, body) }
            return (response.head, body)
        }
        let last = exchange.withLock { ($0.response, $0.body) }
        guard var response = last.0 else {
            return TransportResponse(head: head, body: responseBody?.responseBody ?? ResponseBody())
        }
        response.head = head
        // The same one, if only because it was handed on, is still the transport's own.
        if responseBody !== last.1 { response.body = responseBody?.responseBody ?? ResponseBody() }
        return response
    }

    /// What a middleware of the runtime is given of a request.
    private struct Place {
        var head: HTTPRequest
        var baseURL: URL

        init(of request: TransportRequest) throws {
            head = request.head
            let path = request.head.path ?? "/"
            if let base = request.options[OpenAPIOperation.self]?.baseURL, Origin(base) == request.origin {
                let prefix = try StrataClientTransport.url(
                    of: HTTPRequest(method: .get, scheme: nil, authority: nil, path: ""), below: base)
                let basePath = String(prefix.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" })
                if path.hasPrefix(basePath), basePath.isEmpty || path.dropFirst(basePath.count).first == "/" {
                    baseURL = base
                    (head.scheme, head.authority) = (nil, nil)
                    head.path = String(path.dropFirst(basePath.count))
                    return
                }
            }
            guard let origin = request.origin, let url = URL(string: "\(origin)") else {
                throw NetworkClientError(.malformedURL, "the request has no origin")
            }
            baseURL = url
            (head.scheme, head.authority) = (nil, nil)
        }

        static func absolute(_ head: HTTPRequest, below baseURL: URL) throws -> HTTPRequest {
            let request = try TransportRequest(
                method: head.method, url: StrataClientTransport.url(of: head, below: baseURL),
                headerFields: head.headerFields)
            var result = request.head
            result.headerFields = head.headerFields
            return result
        }
    }
}

extension RequestBody {
    /// The body as the runtime hands it on.
    fileprivate var httpBody: HTTPBody {
        if let data { return HTTPBody(data) }
        let pieces = RequestBodyPieces(body: self)
        return HTTPBody(
            pieces, length: length.map { .known($0) } ?? .unknown, iterationBehavior: isReplayable ? .multiple : .single
        )
    }
}

/// The pieces of a request's body; it is opened when the first is asked for.
private struct RequestBodyPieces: AsyncSequence, Sendable {
    let body: RequestBody

    struct AsyncIterator: AsyncIteratorProtocol {
        let body: RequestBody
        var source: (any BodySource)?

        mutating func next() async throws -> Data? {
            if source == nil { source = try body.makeSource() }
            return try await source?.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body) }
}
