// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAuthentication
import StrataCore
import StrataCurl
import StrataEncoding
import StrataMiddleware
import StrataTesting
import Synchronization
import Testing

/// Signing in by a browser that comes back to a port of this machine.
struct OAuthBrowserTests {
    private static let token = #"{"access_token":"fresh","token_type":"Bearer","refresh_token":"r"}"#

    /// What a browser does that was sent to `url`.
    private struct Browser {
        let redirect: String
        let state: String
        let transport: CurlTransport

        init(_ url: URL, _ transport: CurlTransport) throws {
            let items = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems)
            func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
            #expect(value("code_challenge_method") == "S256")
            redirect = try #require(value("redirect_uri"))
            state = try #require(value("state"))
            self.transport = transport
        }

        @discardableResult
        func open(_ query: String, path: String? = nil) async throws -> (status: Int, page: String) {
            let place =
                try path.map {
                    String(try #require(URL(string: redirect)?.deletingLastPathComponent()).absoluteString.dropLast())
                        + $0
                } ?? redirect
            let response = try await transport.send(.get, "\(place)\(query)")
            return (response.head.status.code, String(decoding: try await response.body.collect(), as: UTF8.self))
        }
    }

    private func signIn(
        _ server: RawServer, _ transport: CurlTransport, within limit: Duration = .seconds(60),
        _ browse: @escaping @Sendable (Browser) async throws -> Void
    ) async throws -> Credential {
        let client = NetworkClient(configuration: NetworkConfiguration(transport: transport))
        let signIn = OAuthSignIn(
            server: OAuthServer(
                issuer: server.url, tokenEndpoint: try #require(URL(string: server.url + "/token")),
                authorizationEndpoint: URL(string: server.url + "/authorize")),
            clientID: "app", client: client)
        let browser = Mutex<Task<Void, any Error>?>(nil)
        defer { browser.withLock { $0?.cancel() } }
        return try await signIn.byBrowser(within: limit) { url in
            let opened = try Browser(url, transport)
            browser.withLock { $0 = Task { try await browse(opened) } }
        }
    }

    @Test func theBrowserBringsTheCode() async throws {
        let server = try RawServer.start(script: [.readRequest, .respond(body: Self.token)])
        defer { server.stop() }
        try await withCurl { transport in
            let credential = try await signIn(server, transport) { browser in
                #expect(try await browser.open("", path: "/favicon.ico").status == 404)
                #expect(try await browser.open("?code=evil&state=guessed").status == 404)
                let (status, page) = try await browser.open("?code=c0de&state=\(browser.state)")
                #expect(status == 200)
                #expect(page.contains("signed in"))
            }
            #expect(credential == Credential(token: "fresh", refreshToken: "r"))
        }
        let body = String(decoding: try #require(server.log.requests.first).body, as: UTF8.self)
        #expect(body.contains("grant_type=authorization_code&code=c0de&code_verifier="))
        #expect(body.contains("redirect_uri=http%3A%2F%2F127.0.0.1%3A"))
        #expect(!body.contains("evil"))
    }

    @Test func aRefusalIsAnError() async throws {
        let server = try RawServer.start(script: [.readRequest, .respond(body: Self.token)])
        defer { server.stop() }
        try await withCurl { transport in
            let error = await #expect(throws: OAuthError.self) {
                try await signIn(server, transport) { browser in
                    try await browser.open("?error=access_denied&state=\(browser.state)")
                }
            }
            #expect(error?.code == "access_denied")
        }
        #expect(server.log.requests.isEmpty)
    }

    @Test func nobodyWaitsForEver() async throws {
        let server = try RawServer.start(script: [.readRequest, .respond(body: Self.token)])
        defer { server.stop() }
        try await withCurl { transport in
            let error = await #expect(throws: OAuthError.self) {
                try await signIn(server, transport, within: .milliseconds(50)) { _ in }
            }
            #expect(error?.code == "expired_token")
            let task = Task {
                try await signIn(server, transport) { _ in }
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    /// Browsers open connections that they do not use, and anybody on the machine may.
    @Test func connectionsThatSayNothingHoldNobodyUp() async throws {
        let server = try RawServer.start(script: [.readRequest, .respond(body: Self.token)])
        defer { server.stop() }
        try await withCurl { transport in
            let credential = try await signIn(server, transport) { browser in
                let port = try #require(URL(string: browser.redirect)?.port)
                let silent = try (0..<3).map { _ in try LoopbackClient(port: port) }
                try await silent[1].send(Array("GET /call".utf8))
                try? await silent[2].send(Array(repeating: UInt8(ascii: "a"), count: 100_000))
                try await browser.open("?code=c0de&state=\(browser.state)")
                _ = silent
            }
            #expect(credential.token == "fresh")
        }
    }
}
