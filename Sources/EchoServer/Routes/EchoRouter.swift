// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// Finds the route, and answers what routes need not know about: `HEAD`, `OPTIONS`, 404, 405 and CORS, all as httpbin.
///
/// Hummingbird's router is not used because it decides by method and path at once: it has no route for every method and
/// answers 404 where httpbin says 405 with `Allow`.
struct EchoRouter: HTTPResponder {
    typealias Context = EchoContext

    let routes: [Route]
    let isSecure: Bool
    /// Of this server alone.
    let state = ServiceState()

    init(routes: [Route] = EchoRouter.allRoutes, isSecure: Bool = false) {
        self.routes = routes
        self.isSecure = isSecure
    }

    static let allRoutes: [Route] = [
        MethodRoutes.routes, InspectionRoutes.routes, StatusRoutes.routes, RedirectRoutes.routes,
        DynamicDataRoutes.routes, FormatRoutes.routes, CompressionRoutes.routes, CookieRoutes.routes,
        CachingRoutes.routes, AuthenticationRoutes.routes, DigestRoutes.routes, EchoRoutes.routes,
        ServerSentEventRoutes.routes, UploadRoutes.routes, HangRoutes.routes, HealthRoutes.routes,
        SequenceRoutes.routes, ChatRoutes.routes, IssueRoutes.routes, SignInRoutes.routes, ResumableUploadRoutes.routes,
        QuoteRoutes.routes,
    ].flatMap { $0 }

    func respond(to request: Request, context: EchoContext) async throws -> Response {
        let incoming = EchoRequest(request, context: context, router: self)
        var response: Response
        do {
            response = try await dispatch(incoming)
        } catch let error as any HTTPResponseError {
            response = try error.response(from: request, context: context)
            if request.method == .head { response = response.createHeadResponse() }
        }
        // What follows the head of these is taken for the next response (RFC 9112 §6.3).
        if [.noContent, .notModified].contains(response.status) {
            response.body = ResponseBody()
            response.headers[.contentLength] = nil
        }
        response.headers[.accessControlAllowOrigin] = incoming.fields[.origin] ?? "*"
        response.headers[.accessControlAllowCredentials] = "true"
        return response
    }

    /// The response of the route that the path has. Throws what the route throws.
    func dispatch(_ request: EchoRequest) async throws -> Response {
        let segments = request.target.segments
        let matches = routes.compactMap { route in route.pattern.match(segments).map { (route, $0) } }
        guard !matches.isEmpty else {
            // A page and not JSON, as httpbin: a client that decodes errors must not find one here by accident.
            let page = "<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n"
            let response = Response.text(page, type: "text/html; charset=utf-8", status: .notFound)
            return request.head.method == .head ? response.createHeadResponse() : response
        }

        for (route, parameters) in matches where route.methods.contains(request.head.method) {
            var request = request
            request.parameters = parameters
            return try await route.handler(request)
        }
        let allowed = Set(matches.flatMap { $0.0.methods.listed }).map(\.rawValue).sorted().joined(separator: ", ")
        if request.head.method == .head, let (route, parameters) = matches.first(where: { $0.0.methods.contains(.get) })
        {
            var request = request
            request.parameters = parameters
            // For a stream this announces a length of 0; without one NIO would call it chunked, and write the last chunk.
            return try await route.handler(request).createHeadResponse()
        }
        if request.head.method == .options {
            return options(for: request, allowed: allowed)
        }
        return Response(status: .methodNotAllowed, headers: [.allow: allowed])
    }

    private func options(for request: EchoRequest, allowed: String) -> Response {
        var fields: HTTPFields = [
            .allow: allowed, .accessControlAllowMethods: "GET, POST, PUT, DELETE, PATCH, OPTIONS",
            .accessControlMaxAge: "3600",
        ]
        fields[.accessControlAllowHeaders] = request.fields[.accessControlRequestHeaders]
        return Response(status: .ok, headers: fields)
    }
}

extension Route.Methods {
    func contains(_ method: HTTPRequest.Method) -> Bool {
        switch self {
        case .any: true
        case .only(let methods): methods.contains(method)
        }
    }

    /// For `Allow`: what the router adds is there too.
    fileprivate var listed: [HTTPRequest.Method] {
        guard case .only(let methods) = self else { return [] }
        return methods + [.options] + (methods.contains(.get) ? [.head] : [])
    }
}
