// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// `/digest-auth/{qop}/{user}/{password}[/{algorithm}[/{stale_after}]]` (RFC 7616), with httpbin's cookies.
///
/// Two things are stricter than in httpbin: the user name must be the one of the path, and a query is part of the URI.
enum DigestRoutes {
    static var routes: [Route] {
        [
            Route("/digest-auth/{qop}/{user}/{password}", handler: authenticate),
            Route("/digest-auth/{qop}/{user}/{password}/{algorithm}", handler: authenticate),
            Route("/digest-auth/{qop}/{user}/{password}/{algorithm}/{stale_after}", handler: authenticate),
        ]
    }

    private static let fakeCookie = (name: "fake", value: "fake_value")

    private static func authenticate(_ request: EchoRequest) async throws -> Response {
        let qop = ["auth", "auth-int"].contains(request.text("qop")) ? request.text("qop") : nil
        let algorithm = DigestAlgorithm(rawValue: request.text("algorithm")) ?? .md5
        let staleAfter = request.parameters["stale_after"] ?? "never"
        let needsCookie = ["1", "t", "true"].contains(request.arguments["require-cookie"]?.lowercased() ?? "")
        let cookies = CookieRoutes.cookies(of: request)

        func challenge(stale: Bool, lastNonce: String?) -> Response {
            var set = [CookieRoutes.setCookie("stale_after", staleAfter, for: request)]
            if let lastNonce { set.append(CookieRoutes.setCookie("last_nonce", lastNonce, for: request)) }
            set.append(CookieRoutes.setCookie(fakeCookie.name, fakeCookie.value, for: request))
            var fields = CookieRoutes.fields(set)
            fields[.wwwAuthenticate] = DigestChallenge(qop: qop, algorithm: algorithm, stale: stale).field
            return .empty(.unauthorized, fields: fields)
        }

        guard let credentials = request.fields[.authorization].flatMap(DigestCredentials.init),
            !needsCookie || request.fields.contains(.cookie)
        else { return challenge(stale: false, lastNonce: nil) }

        if needsCookie, cookies[fakeCookie.name] != fakeCookie.value {
            let fields = CookieRoutes.fields([CookieRoutes.setCookie(fakeCookie.name, fakeCookie.value, for: request)])
            return .json(["errors": ["missing cookie set on challenge"]], status: .forbidden, fields: fields)
        }
        let nonce = credentials.nonce
        if cookies["last_nonce"] == nonce || cookies["stale_after"] == "0" {
            return challenge(stale: true, lastNonce: nonce)
        }
        let body = credentials.qop == "auth-int" ? try await request.collectBody() : []
        let isRight = credentials.isRight(
            user: request.text("user"), password: request.text("password"), method: request.head.method.rawValue,
            uri: request.target.origin, body: body)
        guard isRight else { return challenge(stale: false, lastNonce: nonce) }

        var set = [CookieRoutes.setCookie(fakeCookie.name, fakeCookie.value, for: request)]
        if let left = cookies["stale_after"] {
            let next = Int(left).map { String(max($0, 0) - 1) } ?? "never"
            set.append(CookieRoutes.setCookie("stale_after", next, for: request))
        }
        return .json(
            ["authenticated": true, "user": .string(request.text("user"))], fields: CookieRoutes.fields(set))
    }
}
