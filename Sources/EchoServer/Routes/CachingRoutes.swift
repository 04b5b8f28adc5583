// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `/cache`, `/cache/{seconds}`, `/etag/{etag}`, `/response-headers`.
enum CachingRoutes {
    static var routes: [Route] {
        [
            Route("/cache") { request in
                let isConditional = request.fields.contains(.ifModifiedSince) || request.fields.contains(.ifNoneMatch)
                if isConditional { return StatusRoutes.response(304) }
                var response = try await record(of: request)
                response.headers[.lastModified] = HTTPDate.format(Date())
                response.headers[.eTag] = UUID().uuidString.replacing("-", with: "").lowercased()
                return response
            },
            Route("/cache/{seconds:int}") { request in
                var response = try await record(of: request)
                response.headers[.cacheControl] = "public, max-age=\(request.integer("seconds"))"
                return response
            },
            Route("/etag/{etag}", handler: etag),
            Route("/response-headers", .only([.get, .post])) { try responseHeaders($0) },
        ]
    }

    private static func record(of request: EchoRequest) async throws -> Response {
        .json(.object(try await HTTPBinRecord.make([.args, .headers, .origin, .url], of: request)))
    }

    private static func etag(_ request: EchoRequest) async throws -> Response {
        let etag = request.text("etag")
        let noneMatch = entityTags(request.fields[.ifNoneMatch])
        let match = entityTags(request.fields[.ifMatch])
        if !noneMatch.isEmpty {
            if noneMatch.contains(etag) || noneMatch.contains("*") {
                var response = StatusRoutes.response(304)
                response.headers[.eTag] = etag
                return response
            }
        } else if !match.isEmpty, !match.contains(etag), !match.contains("*") {
            return StatusRoutes.response(412)
        }
        var response = try await record(of: request)
        response.headers[.eTag] = etag
        return response
    }

    /// The opaque parts, without quotes and `W/`.
    static func entityTags(_ field: String?) -> [String] {
        (field ?? "").split(separator: ",").map { part in
            var tag = String(part).trimmingSpaces()
            if tag.hasPrefix("W/") { tag = String(tag.dropFirst(2)) }
            return tag.replacing("\"", with: "")
        }
    }

    /// Fields of a connection (RFC 9113 §8.2.2), and a second length: a client of HTTP/2 ends the stream, or the connection.
    private static let notOverHTTP2: Set<HTTPField.Name> = [
        .connection, .contentLength, .keepAlive, .proxyConnection, .transferEncoding, .upgrade,
    ]

    /// Every argument is a field of the response, and the body lists the fields, its own length included.
    private static func responseHeaders(_ request: EchoRequest) throws -> Response {
        let arguments = request.arguments
        var fields: HTTPFields = [:]
        for argument in arguments.fields {
            guard let name = HTTPField.Name(argument.name), HTTPField.isValidValue(argument.value) else {
                throw HTTPError(.badRequest, message: "`\(argument.name)` is no field.")
            }
            if request.context.isHTTP2, notOverHTTP2.contains(name) {
                throw HTTPError(.badRequest, message: "`\(argument.name)` is no field for HTTP/2.")
            }
            fields.append(HTTPField(name: name, value: argument.value))
        }
        var body = ""
        while true {
            var listed = FieldList()
            listed.append("Content-Type", "application/json")
            listed.append("Content-Length", String(body.utf8.count))
            for argument in arguments.fields { listed.append(argument.name, argument.value) }
            let next = listed.json.pretty
            if next == body { break }
            body = next
        }
        var response = Response.json(.null)
        response.body = ResponseBody(byteBuffer: .init(string: body))
        response.headers.append(contentsOf: fields)
        return response
    }
}
