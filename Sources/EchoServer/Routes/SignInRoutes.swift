// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Synchronization

/// An authorization server (OAuth 2) that signs in by device (RFC 8628), and what its tokens are for:
/// `/.well-known/oauth-authorization-server` (RFC 8414), `/oauth/device`, `/oauth/token`, `/oauth/user`.
///
/// Nobody has to enter the code: a device is told to wait once, and then gets its token. That is good for one request, as
/// one that is withdrawn, so that a client has to renew it; the renewed ones stay good.
enum SignInRoutes {
    static var routes: [Route] {
        [
            Route("/.well-known/oauth-authorization-server") { request in
                .json([
                    "issuer": .string(request.url(of: "")),
                    "token_endpoint": .string(request.url(of: "/oauth/token")),
                    "device_authorization_endpoint": .string(request.url(of: "/oauth/device")),
                    "grant_types_supported": [.string(deviceGrant), "refresh_token"],
                    "response_types_supported": ["code"],
                ])
            },
            Route("/oauth/device", .only([.post])) { request in
                let code = request.router.state.signIns.withLock { signIns in
                    let code = signIns.next("device")
                    signIns.polls[code] = 0
                    return code
                }
                return .json(
                    [
                        "device_code": .string(code), "user_code": "WDJB-MJHT",
                        "verification_uri": .string(request.url(of: "/oauth/activate")), "expires_in": 600,
                        "interval": 1,
                    ], fields: [.cacheControl: "no-store"])
            },
            Route("/oauth/activate") { _ in .text("Nothing has to be entered here.\n") },
            Route("/oauth/token", .only([.post]), handler: token),
            Route("/oauth/user") { request in
                let words = request.fields[.authorization]?.split(separator: " ") ?? []
                let isKnown = request.router.state.signIns.withLock {
                    words.count == 2 && words[0].lowercased() == "bearer" && $0.admits(String(words[1]))
                }
                if isKnown { return .json(["login": "ada"]) }
                return .empty(.unauthorized, fields: [.wwwAuthenticate: #"Bearer error="invalid_token""#])
            },
        ]
    }

    private static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

    private static func token(_ request: EchoRequest) async throws -> Response {
        let form = BodyContent(try await request.collectBody(), type: request.fields[.contentType]).form
        return request.router.state.signIns.withLock { signIns in
            switch form["grant_type"] {
            case deviceGrant:
                guard let code = form["device_code"], let polls = signIns.polls[code] else {
                    return error("invalid_grant")
                }
                guard polls > 0 else {
                    signIns.polls[code] = polls + 1
                    return error("authorization_pending")
                }
                signIns.polls[code] = nil
                return tokens(in: &signIns, uses: 1)
            case "refresh_token":
                guard signIns.refreshTokens.remove(form["refresh_token"] ?? "") != nil else {
                    return error("invalid_grant")
                }
                return tokens(in: &signIns, uses: nil)
            default: return error("unsupported_grant_type")
            }
        }
    }

    private static func tokens(in signIns: inout ServiceState.SignIns, uses: Int?) -> Response {
        let (access, refresh) = (signIns.next("access"), signIns.next("refresh"))
        signIns.accessTokens[access] = .some(uses)
        signIns.refreshTokens.insert(refresh)
        return .json(
            [
                "access_token": .string(access), "token_type": "Bearer", "expires_in": 3600,
                "refresh_token": .string(refresh),
            ], fields: [.cacheControl: "no-store"])
    }

    private static func error(_ code: String) -> Response {
        .json(["error": .string(code)], status: .badRequest, fields: [.cacheControl: "no-store"])
    }
}
