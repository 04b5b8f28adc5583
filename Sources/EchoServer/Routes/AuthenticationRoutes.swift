// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `/basic-auth/{user}/{password}`, `/hidden-basic-auth/…`, `/bearer`.
enum AuthenticationRoutes {
    static var routes: [Route] {
        [
            Route("/basic-auth/{user}/{password}") { basic($0, otherwise: 401) },
            Route("/hidden-basic-auth/{user}/{password}") { basic($0, otherwise: 404) },
            Route("/bearer") { request in
                guard let authorization = request.fields[.authorization], authorization.hasPrefix("Bearer ") else {
                    return .empty(.unauthorized, fields: [.wwwAuthenticate: "Bearer"])
                }
                return .json([
                    "authenticated": true, "token": .string(String(authorization.dropFirst("Bearer ".count))),
                ])
            },
        ]
    }

    private static func basic(_ request: EchoRequest, otherwise status: Int) -> Response {
        let user = request.text("user")
        guard let credentials = basicCredentials(request.fields[.authorization]),
            credentials.user == user, credentials.password == request.text("password")
        else { return StatusRoutes.response(status) }
        return .json(["authenticated": true, "user": .string(user)])
    }

    /// RFC 7617: the scheme in any case, the user up to the first colon.
    private static func basicCredentials(_ field: String?) -> (user: String, password: String)? {
        guard let halves = field?.split(separator: " ", maxSplits: 1), halves.count == 2,
            halves[0].lowercased() == "basic",
            let decoded = Data(base64Encoded: String(halves[1]).trimmingSpaces()),
            let text = String(data: decoded, encoding: .utf8), let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}
