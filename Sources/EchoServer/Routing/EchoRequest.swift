// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore

/// A request on its way through the routes.
struct EchoRequest: Sendable {
    /// The largest body that a route holds in memory. `/upload` has no limit.
    static let bodyLimit = 64 * 1024 * 1024

    let head: HTTPRequest
    private(set) var target: RequestTarget
    private(set) var arguments: FieldList
    let context: EchoContext
    /// The one that asks, with what its server remembers.
    let router: EchoRouter
    /// `https` on a server with TLS, whatever the request says.
    let scheme: String
    /// Single pass.
    let body: RequestBody
    /// The values of the pattern's places.
    var parameters: [String: String] = [:]

    init(_ request: Request, context: EchoContext, router: EchoRouter) {
        head = request.head
        target = RequestTarget(request.head.path ?? "/")
        arguments = target.arguments
        self.context = context
        self.router = router
        scheme = router.isSecure ? "https" : "http"
        body = request.body
    }

    var fields: HTTPFields { head.headerFields }

    /// The same request for another path, and another query.
    func redirected(to target: String) -> EchoRequest {
        var request = self
        request.target = RequestTarget(target)
        request.arguments = request.target.arguments
        request.parameters = [:]
        return request
    }

    func integer(_ name: String) -> Int { parameters[name].flatMap { Int($0) } ?? 0 }
    func text(_ name: String) -> String { parameters[name] ?? "" }

    /// What the client takes to be this server, from `Host` or `:authority`.
    var authority: String { head.authority ?? fields[.host] ?? "localhost" }

    /// The scheme, the authority and the target. `X-Forwarded-Proto` and its relatives win over the scheme, as in
    /// httpbin; the target stands as it was sent, where httpbin decodes some of it.
    var url: String { "\(forwardedScheme ?? scheme)://\(authority)\(target.origin)" }

    /// An absolute URL of another path on this server.
    func url(of path: String) -> String { "\(scheme)://\(authority)\(path)" }

    var origin: String { fields[.xForwardedFor] ?? context.peer.address }

    /// Throws 413 when the body is larger than ``bodyLimit``.
    func collectBody() async throws -> [UInt8] {
        do {
            return Array(try await body.collect(upTo: Self.bodyLimit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge, message: "This route holds at most \(Self.bodyLimit) bytes.")
        }
    }

    private var forwardedScheme: String? {
        fields[.xForwardedProto] ?? fields[.xForwardedProtocol] ?? (fields[.xForwardedSSL] == "on" ? "https" : nil)
    }
}
