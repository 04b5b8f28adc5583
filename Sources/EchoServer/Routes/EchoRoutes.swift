// SPDX-License-Identifier: Apache-2.0

import Crypto
import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `/echo`: the request as it was received, nothing merged, every method.
///
/// - `target`: the request line's target, or `:path`.
/// - `version`: `HTTP/1.0`, `HTTP/1.1` or `HTTP/2`.
/// - `headers`: `[[name, value], …]` in order, spelled as sent. Over HTTP/1.1 nothing is missing but white space around
///   values and names that are no tokens (a value that is no UTF-8 has U+FFFD in place of the bad bytes). Over HTTP/2
///   names are lower case by the protocol, the pseudo fields stand apart in `pseudo`, their order is lost.
/// - `body_base64`, `body_length`, `body_sha256`.
/// - `connection`: the client's address and port: the same for two requests on one connection.
enum EchoRoutes {
    static var routes: [Route] {
        [
            Route("/echo", .any, handler: echo),
            Route("/echo/{rest:path}", .any, handler: echo),
        ]
    }

    private static func echo(_ request: EchoRequest) async throws -> Response {
        let body = try await request.collectBody()
        let fields = request.fields.map { JSONValue.array([.string($0.name.rawName), .string($0.value)]) }
        var record: [String: JSONValue] = [
            "method": .string(request.head.method.rawValue),
            "target": .string(request.target.raw),
            "version": .string(try await request.context.version()),
            "scheme": .string(request.scheme),
            "authority": request.head.authority.map { .string($0) } ?? .null,
            "args": request.arguments.pairs,
            "headers": .array(fields),
            "body_base64": .string(Data(body).base64EncodedString()),
            "body_length": .int(body.count),
            "body_sha256": .string(SHA256.hash(data: body).hex),
            "connection": .string("\(request.context.peer.address):\(request.context.peer.port)"),
        ]
        if request.context.isHTTP2 { record["pseudo"] = .object(pseudoFields(of: request.head)) }
        let response = Response.json(.object(record))
        return request.head.method == .head ? response.createHeadResponse() : response
    }

    private static func pseudoFields(of head: HTTPRequest) -> [String: JSONValue] {
        let pseudo = head.pseudoHeaderFields
        let fields = [pseudo.method, pseudo.scheme, pseudo.authority, pseudo.path].compactMap { $0 }
        return Dictionary(fields.map { ($0.name.rawName, .string($0.value)) }) { first, _ in first }
    }
}
