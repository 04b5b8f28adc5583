// SPDX-License-Identifier: Apache-2.0

// A token with every request, a new one when the server refuses it, and no secret in the log.
//
//     API_TOKEN=… swift run SignIn https://api.github.com

import Foundation
import Strata

struct User: Decodable { var login: String }

let token = ProcessInfo.processInfo.environment["API_TOKEN"] ?? ""
let credentials = CredentialStore(Credential(token: token)) { _ in
    Credential(token: token)  // ask your server for a new one here
}
let client = NetworkClient(
    baseURL: CommandLine.arguments.dropFirst().first ?? "https://api.github.com",
    middleware: [LoggingMiddleware(), RetryMiddleware(), BearerAuthMiddleware(credentials)])

let user: User = try await client.get("user")
print(user.login)
