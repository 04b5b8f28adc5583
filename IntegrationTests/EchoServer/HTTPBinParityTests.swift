// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import StrataEncoding
import Testing

/// The echo server answers as a real httpbin does: status, JSON and the fields that matter.
@Suite(.httpbin, .timeLimit(.minutes(2)))
struct HTTPBinParityTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var method = HTTPRequest.Method.get
        var target: String
        var fields: HTTPFields = [:]
        var body: String?

        var testDescription: String { "\(method) \(target)" }

        static func get(_ target: String, _ fields: HTTPFields = [:]) -> Case { Case(target: target, fields: fields) }

        static func send(_ method: HTTPRequest.Method, _ target: String, _ type: String, _ body: String) -> Case {
            Case(method: method, target: target, fields: [.contentType: type], body: body)
        }
    }

    private struct Answer: Equatable {
        var status: Int
        var json: JSONValue?
        var fields: [String: [String]]
    }

    private static let form = "application/x-www-form-urlencoded"
    private static let multipart = """
        --x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\
        é\r\n--x\r\nContent-Disposition: form-data; name="f"; filename="n%22.txt"\r\nContent-Type: text/plain\r\n\r\nfile\r\n\
        --x\r\nContent-Disposition: form-data; name="f"; filename=b\r\n\r\nsecond\r\n--x--\r\n
        """

    private static let cases: [Case] =
        [
            "/get?a=1&a=2&b=%20x+y&c", "/headers", "/ip", "/user-agent", "/cookies", "/json", "/anything/a/b?c=d",
            "/redirect/3", "/redirect/1", "/relative-redirect/2", "/absolute-redirect/2", "/redirect/2?absolute=true",
            "/redirect-to?url=http%3A%2F%2Fx%2F&status_code=307", "/basic-auth/u/p", "/hidden-basic-auth/u/p",
            "/bearer",
            "/cookies/set?a=b&c=d", "/cookies/set/n/v", "/cookies/delete?a", "/response-headers?X-A=1&X-A=2&Y=z",
            "/etag/x", "/cache/5", "/range/26", "/range/0", "/drip?numbytes=3&duration=0", "/delay/0", "/bytes/x",
            "/nope",
            "/status/abc", "/post", "/stream/0",
        ].map { .get($0) }
        + [200, 201, 204, 301, 304, 307, 308, 400, 401, 404, 418, 429, 500, 503].map { .get("/status/\($0)") }
        + [
            .get("/basic-auth/u/p", [.authorization: "Basic dTpw"]), .get("/bearer", [.authorization: "Bearer t"]),
            .get("/cookies", [.cookie: "a=b; c=\"d;e\"; x"]), .get("/etag/x", [.ifNoneMatch: "W/\"y\", \"x\""]),
            .get("/etag/x", [.ifMatch: "y"]), .get("/cache", [.ifNoneMatch: "x"]),
            .get("/range/26", [.range: "bytes=3-5"]),
            .get("/range/26", [.range: "bytes=-5"]), .get("/range/26", [.range: "bytes=30-"]),
            .send(.post, "/post", form, "a=1&a=2&b=x%2By&u=%C3%A9&e"), .send(.put, "/put", "text/plain", "hi"),
            .send(.patch, "/patch", "application/json", #"{"a": [1, 2.5, "é", null, true]}"#),
            .send(.post, "/post", "application/json", "{broken"), .send(.delete, "/delete?id=1", form, "x=1"),
            .send(.post, "/post", "multipart/form-data; boundary=x", multipart), .send(.put, "/get", "text/plain", "x"),
        ]

    @Test(arguments: cases)
    func answersAreThoseOfHttpbin(request: Case) async throws {
        let httpbin = try #require(HTTPBin.url.flatMap { URLComponents(string: $0) })
        let theirs = try await ask(request, host: try #require(httpbin.host), port: httpbin.port ?? 80)
        let ours = try await EchoServer.withServer { server in
            try await ask(request, host: "127.0.0.1", port: server.port)
        }
        #expect(ours == theirs)
    }

    /// The authority is the same on both sides, so that what is made of it can be compared.
    private func ask(_ request: Case, host: String, port: Int) async throws -> Answer {
        try await TestClient.withClient(host: host, port: port) { client in
            let body = request.body.map { ByteBuffer(string: $0) }
            let response = try await client.execute(
                TestClient.Request(
                    request.target, method: request.method, authority: "server.example", headers: request.fields,
                    body: body))
            let bytes = Data(response.body.map { Array($0.readableBytesView) } ?? [])
            let compared: [HTTPField.Name] = [
                .location, .setCookie, .wwwAuthenticate, .eTag, .contentRange, .acceptRanges, .cacheControl,
                .accessControlAllowOrigin,
            ]
            let fields = compared.map { ($0.canonicalName, response.headers[values: $0]) }
            return Answer(
                status: response.status.code, json: try? JSONValue(parsing: bytes),
                fields: Dictionary(fields) { first, _ in first })
        }
    }
}
