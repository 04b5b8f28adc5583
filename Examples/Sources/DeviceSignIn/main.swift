// SPDX-License-Identifier: Apache-2.0

// Signs a person in by a code that is entered in a browser on any device (RFC 8628), keeps the credential in a file, and renews it
// when the server refuses it.
//
//     swift run DeviceSignIn https://auth.example CLIENT_ID https://api.example

import Foundation
import Strata
import StrataAuthentication

struct User: Decodable { var login: String }

let arguments = CommandLine.arguments
guard arguments.count == 4, let issuer = URL(string: arguments[1]) else {
    print("usage: DeviceSignIn ISSUER CLIENT_ID API")
    exit(64)
}

do {
    // The sign-in has a client of its own: its requests carry no token.
    let plain = NetworkClient(middleware: [RetryMiddleware()])
    let server = try await OAuthServer.discover(issuer: issuer, client: plain)
    let signIn = OAuthSignIn(server: server, clientID: arguments[2], scope: "read", client: plain)

    let file = FileManager.default.temporaryDirectory.appending(
        path: "strata-example-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: file) }
    let store = CredentialStore(
        storage: FileTokenStore(file), source: signIn.tokenEndpoint.refreshToken(),
        onRenewal: { _ in print("the token was renewed") })
    if try await store.load() == nil {
        let credential = try await signIn.byDevice { prompt in
            print("open \(prompt.url.path) and enter \(prompt.userCode)")
        }
        try await store.replace(with: credential)
        print("signed in")
    }

    let client = NetworkClient(baseURL: arguments[3], middleware: [RetryMiddleware(), BearerAuthMiddleware(store)])
    for _ in 1...2 {
        let user: User = try await client.get("user")
        print("hello, \(user.login)")
    }
} catch {
    print(error)
    exit(1)
}
