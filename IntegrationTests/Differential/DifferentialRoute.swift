// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Testing

/// A request to the echo server whose answer depends neither on the time nor on what a transport adds.
struct DifferentialRoute: Sendable, CustomTestStringConvertible {
    var method = HTTPRequest.Method.get
    var path: String
    var fields: HTTPFields = [:]
    var body: RequestBody = .empty

    var testDescription: String { "\(method) \(path)" }

    private static func get(_ path: String, _ fields: HTTPFields = [:]) -> Self { Self(path: path, fields: fields) }

    static let all: [Self] =
        [
            "/json", "/xml", "/html", "/robots.txt", "/encoding/utf8", "/base64/SGVsbG8", "/links/3/0", "/cache/60",
            "/bytes/1000?seed=1", "/bytes/0?seed=1", "/stream-bytes/100000?seed=1", "/download/1000000",
            "/drip?duration=0&numbytes=10", "/sse?count=3", "/sse?count=0", "/etag/abc", "/range/26",
            "/response-headers?X-One=1&X-Two=", "/basic-auth/user/password", "/hidden-basic-auth/user/password",
            "/bearer", "/nowhere", "/user-agent", "/sse?count=5&drop_after=2",
        ].map { get($0) }
        + [200, 201, 202, 204, 205, 304, 400, 403, 404, 409, 410, 418, 429, 500, 503].map { get("/status/\($0)") }
        + [
            get("/range/26", [.range: "bytes=3-7"]), get("/etag/abc", [.ifNoneMatch: "\"abc\""]),
            get("/basic-auth/user/password", [.authorization: "Basic dXNlcjpwYXNzd29yZA=="]),
            Self(method: .head, path: "/json"), Self(method: .head, path: "/status/404"),
            Self(method: .options, path: "/json"), Self(method: .get, path: "/post"),
            Self(method: .post, path: "/status/201"), Self(method: .delete, path: "/status/204"),
            Self(method: .put, path: "/status/500", body: .data(Data("body".utf8))),
        ]

    /// - Returns: in what the two disagree.
    func differences(
        between first: any NetworkTransport, and second: any NetworkTransport, at base: String
    ) async throws -> [TransportDifference] {
        let transport = DifferentialTransport(first, second)
        var fields = fields
        // Else each would ask for what it can decode.
        if fields[.acceptEncoding] == nil { fields[.acceptEncoding] = "identity" }
        if fields[.userAgent] == nil { fields[.userAgent] = "strata-test" }
        let request = try TransportRequest(method: method, url: base + path, headerFields: fields, body: body)
        let response = try await transport.send(request)
        // A failure within the body is compared as a body is.
        _ = try? await response.body.collect()
        return transport.differences
    }
}
