// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataStreaming

/// What the layers cost without a network: nanoseconds of processor time for one operation.
enum Micro {
    private struct Canned: NetworkTransport {
        let capabilities = TransportCapabilities(name: "canned", features: .init(rawValue: .max))
        let head = HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"])
        let body = Data(#"{"id":1,"title":"hello"}"#.utf8)

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            TransportResponse(head: head, body: ResponseBody(body))
        }
    }

    private struct Post: Codable {
        var id: Int
        var title: String
    }

    private static func measure(_ name: String, _ count: Int = 100_000, _ operation: () async throws -> Void)
        async rethrows
    {
        for _ in 0..<count / 20 { try await operation() }
        let cpu = CPUTime.now
        for _ in 0..<count { try await operation() }
        let used = CPUTime.now - cpu
        print("name=\(name) n=\(count) cpu_ns=\(Int((used.user + used.system) * 1000 / Double(count)))")
    }

    static func run() async throws {
        guard let base = URL(string: "https://api.example.com/v1") else { return }
        func client(_ middleware: [any NetworkMiddleware]) -> NetworkClient {
            NetworkClient(
                configuration: NetworkConfiguration(baseURL: base, transport: Canned(), middleware: middleware))
        }
        let request = try TransportRequest(url: "https://api.example.com/v1/posts")
        for count in [0, 5, 20] {
            let client = client((0..<count).map { _ in PassThrough() })
            try await measure("execute, \(count) pass-through middleware") { _ = try await client.execute(request) }
        }
        let each: [(String, any NetworkMiddleware)] = [
            ("retry", RetryMiddleware()), ("user agent", UserAgentMiddleware("bench/1")),
            ("request id", RequestIDMiddleware()),
            ("basic", BasicAuthMiddleware(username: "u", password: "p")),
        ]
        for (name, middleware) in each {
            let client = client([middleware])
            try await measure("execute, \(name)") { _ = try await client.execute(request) }
        }
        let plain = client([])
        try await measure("run, JSON") {
            _ = try await plain.run(NetworkRequest<VoidRequest, Post>(path: "posts/1", method: .get))
        }
        let items = (0..<5).map { URLQueryItem(name: "name\($0)", value: "value \($0)&") }
        try await measure("a request with five query items") {
            _ = try plain.makeTransportRequest(
                NetworkRequest<VoidRequest, Post>(path: "posts/1", method: .get, queryItems: items))
        }
        await measure("URLComponents with five query items") {
            var components = URLComponents(url: base, resolvingAgainstBaseURL: false)
            components?.path += "/posts/1"
            components?.queryItems = items
            _ = components?.url
        }
        let form = ["name": "ada lovelace", "motto": "a & b = c", "language": "swift"]
        try await measure("a form of three fields") { _ = try FormEncoder().encode(form) }
        try await measure("multipart of two parts") {
            let multipart = MultipartForm([
                .text("hello", name: "a"), .data(Data(count: 100), name: "b"),
            ])
            _ = try multipart.encodedBody()
        }
        let events = Data(String(repeating: "data: {\"token\": \"hello\"}\n\n", count: 1000).utf8)
        try await measure("a thousand small events", 2000) {
            var parser = ServerSentEventParser()
            try parser.feed(events) { _ in }
        }
    }
}
