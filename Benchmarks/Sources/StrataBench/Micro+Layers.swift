// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Harness
import StrataCore
import StrataEncoding
import StrataMiddleware

/// Answers at once.
private struct Canned: NetworkTransport {
    let capabilities = TransportCapabilities(name: "canned", features: .init(rawValue: .max))
    let head = HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"])
    let body: Data

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(head: head, body: ResponseBody(body))
    }
}

extension Micro {
    private static let post = Data(#"{"id":1,"title":"hello"}"#.utf8)
    private static let base = URL(string: "https://api.example.com/v1")

    private struct Post: Codable {
        var id: Int
        var title: String
    }

    private func client(_ middleware: [any NetworkMiddleware] = [], body: Data = Micro.post) -> NetworkClient {
        NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: Self.base, transport: Canned(body: body), middleware: middleware))
    }

    /// The way down and up again.
    func layers() async throws {
        let request = try TransportRequest(url: "https://api.example.com/v1/posts")
        for count in [0, 5, 20] {
            let client = client((0..<count).map { _ in PassThrough() })
            try await measure("execute, \(count) pass-through middleware") { _ = try await client.execute(request) }
        }
        let each: [(String, any NetworkMiddleware)] = [
            ("retry", RetryMiddleware()), ("user agent", UserAgentMiddleware("bench/1")),
            ("request id", RequestIDMiddleware()),
            ("basic", BasicAuthMiddleware(username: "u", password: "p")),
            ("concurrency limit", ConcurrencyLimitMiddleware(100)), ("rate limit", RateLimitMiddleware()),
            ("circuit breaker", CircuitBreakerMiddleware()),
        ]
        for (name, middleware) in each {
            let client = client([middleware])
            try await measure("execute, \(name)") { _ = try await client.execute(request) }
        }
        let resilient = self.client(Resilience.standard())
        try await measure("execute, Resilience.standard") { _ = try await resilient.execute(request) }
        let client = client()
        try await measure("run, JSON") {
            _ = try await client.run(NetworkRequest<VoidRequest, Post>(path: "posts/1", method: .get))
        }
        let decoder = JSONDecoder()
        measure("JSONDecoder alone") { _ = try? decoder.decode(Post.self, from: Self.post) }
    }

    /// From a request of the app's to one for the transport.
    func building() async throws {
        let client = client()
        let items = (0..<5).map { URLQueryItem(name: "name\($0)", value: "value \($0)&") }
        try measure("a request without query items") {
            _ = try client.makeTransportRequest(NetworkRequest<VoidRequest, Post>(path: "posts/1", method: .get))
        }
        try measure("a request with five query items") {
            _ = try client.makeTransportRequest(
                NetworkRequest<VoidRequest, Post>(path: "posts/1", method: .get, queryItems: items))
        }
        guard let base = Self.base else { return }
        measure("URLComponents with five query items") {
            var components = URLComponents(url: base, resolvingAgainstBaseURL: false)
            components?.path += "/posts/1"
            components?.queryItems = items
            _ = components?.url
        }
    }
}
