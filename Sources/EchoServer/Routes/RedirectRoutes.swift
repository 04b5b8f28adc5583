// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// `/redirect/{n}` and its relatives.
enum RedirectRoutes {
    static var routes: [Route] {
        [
            Route("/redirect/{n:int}") { request in
                let isAbsolute = request.arguments["absolute"]?.lowercased() == "true"
                return try next(
                    of: request, isAbsolute ? "absolute-redirect" : "relative-redirect", absolute: isAbsolute)
            },
            Route("/relative-redirect/{n:int}") { try next(of: $0, "relative-redirect", absolute: false) },
            Route("/absolute-redirect/{n:int}") { try next(of: $0, "absolute-redirect", absolute: true) },
            Route("/redirect-to", .httpbin) { request in
                var arguments = request.arguments
                if let type = request.fields[.contentType],
                    MediaType(type).essence == "application/x-www-form-urlencoded"
                {
                    for field in BodyContent(try await request.collectBody(), type: type).form.fields {
                        arguments.append(field.name, field.value)
                    }
                }
                guard let location = arguments["url"] else {
                    throw HTTPError(.badRequest, message: "The query has no `url`.")
                }
                let code = arguments.number("status_code", as: Int.self).flatMap { (300..<400).contains($0) ? $0 : nil }
                return redirect(to: location, status: HTTPResponse.Status(code: code ?? 302))
            },
        ]
    }

    static func redirect(
        to location: String, status: HTTPResponse.Status = .found, fields: HTTPFields = [:]
    ) -> Response {
        let page = "<!doctype html>\n<html lang=en>\n<title>Redirecting...</title>\n<h1>Redirecting...</h1>\n"
        var response = Response.text(page, type: "text/html; charset=utf-8", status: status)
        response.headers.append(contentsOf: fields)
        response.headers[.location] = PercentEncoding.encodedOutsideOfASCII(location)
        return response
    }

    /// One step down; the last one leads to `/get`.
    private static func next(of request: EchoRequest, _ route: String, absolute: Bool) throws -> Response {
        let count = request.integer("n")
        guard count > 0 else { throw HTTPError(.badRequest, message: "A redirection needs at least one step.") }
        let path = count == 1 ? "/get" : "/\(route)/\(count - 1)"
        return redirect(to: absolute ? request.url(of: path) : path)
    }
}
