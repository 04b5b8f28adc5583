// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataAuthentication
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

struct OAuthServerTests {
    /// Answers with the texts at their URLs, and 404 elsewhere.
    private func site(_ pages: [String: String]) -> ScriptedTransport {
        ScriptedTransport { request in pages[request.url].map { .json($0) } ?? .status(404) }
    }

    private static func metadata(_ issuer: String, token: String = "https://id.example/token") -> String {
        #"{"issuer":"\#(issuer)","token_endpoint":"\#(token)","authorization_endpoint":"https://id.example/auth"}"#
    }

    private func discover(_ issuer: String, _ transport: ScriptedTransport) async throws -> OAuthServer {
        try await OAuthServer.discover(
            issuer: try #require(URL(string: issuer)), client: makeClient(transport, BearerAuthMiddleware(token: "t")))
    }

    @Test(arguments: [
        ("https://id.example", "https://id.example/.well-known/oauth-authorization-server"),
        ("https://id.example/", "https://id.example/.well-known/oauth-authorization-server"),
        ("https://id.example/a/b", "https://id.example/.well-known/oauth-authorization-server/a/b"),
        ("https://id.example/a", "https://id.example/a/.well-known/openid-configuration"),
        ("http://localhost:8080", "http://localhost:8080/.well-known/oauth-authorization-server"),
    ])
    func findsTheMetadata(_ issuer: String, _ place: String) async throws {
        let transport = site([place: Self.metadata(issuer)])
        let server = try await discover(issuer, transport)
        #expect(server.issuer == issuer)
        #expect(server.tokenEndpoint.absoluteString == "https://id.example/token")
        #expect(server.authorizationEndpoint?.absoluteString == "https://id.example/auth")
        #expect(server.deviceAuthorizationEndpoint == nil)
        #expect(transport.requests.allSatisfy { $0["authorization"] == nil && $0.method == .get })
    }

    @Test(arguments: [
        nil, "oops", "{}", metadata("https://evil.example"), metadata("https://id.example/"),
        metadata("https://id.example", token: "http://id.example/token"),
        metadata("https://id.example", token: "javascript:alert(1)"), #"{"issuer":"https://id.example"}"#,
    ])
    func doesNotBelieveEverything(_ page: String?) async throws {
        let transport = site(page.map { ["https://id.example/.well-known/oauth-authorization-server": $0] } ?? [:])
        let error = await #expect(throws: OAuthError.self) { try await discover("https://id.example", transport) }
        #expect(error?.code == "invalid_metadata")
    }

    @Test func asksNobodyInClear() async throws {
        let transport = site([:])
        await #expect(throws: OAuthError.self) { try await discover("http://id.example", transport) }
        #expect(transport.requests.isEmpty)
    }

    // MARK: From a challenge

    private func discover(
        _ url: String, challenge: String?, resource: String, servers: String = #"["https://id.example"]"#
    ) async throws -> OAuthServer {
        let transport = site([
            "https://api.example/.well-known/oauth-protected-resource":
                #"{"resource":"\#(resource)","authorization_servers":\#(servers)}"#,
            "https://id.example/.well-known/oauth-authorization-server": Self.metadata("https://id.example"),
        ])
        let fields: HTTPFields = challenge.map { [.wwwAuthenticate: $0] } ?? [:]
        return try await OAuthServer.discover(
            for: HTTPResponse(status: .unauthorized, headerFields: fields), to: try #require(URL(string: url)),
            client: makeClient(transport))
    }

    private static let challenge =
        #"Bearer error="invalid_token", resource_metadata="https://api.example/.well-known/oauth-protected-resource""#

    @Test(arguments: [
        ("https://api.example/users/1", "https://api.example"), ("https://api.example/users/1", "https://api.example/"),
        ("https://api.example/users/1?a", "https://api.example/users"),
        ("https://API.example:443/", "https://api.example"),
    ])
    func aChallengeLeadsToTheServer(_ url: String, _ resource: String) async throws {
        let server = try await discover(url, challenge: Self.challenge, resource: resource)
        #expect(server.issuer == "https://id.example")
    }

    @Test(arguments: [
        "https://evil.example", "http://api.example", "https://api.example:8443", "https://api.example/use",
        "https://api.example/users/1/more", "oops",
    ])
    func theMetadataOfAnotherResourceAreNotBelieved(_ resource: String) async throws {
        let error = await #expect(throws: OAuthError.self) {
            try await discover("https://api.example/users/1", challenge: Self.challenge, resource: resource)
        }
        #expect(error?.code == "invalid_metadata")
    }

    @Test(arguments: [
        nil, "Bearer", #"Bearer resource_metadata="http://api.example/meta""#,
        #"Bearer resource_metadata="https://api.example/none""#,
    ])
    func aChallengeMayLeadNowhere(_ challenge: String?) async throws {
        let error = await #expect(throws: OAuthError.self) {
            try await discover("https://api.example/", challenge: challenge, resource: "https://api.example")
        }
        #expect(error?.code == "invalid_metadata")
        await #expect(throws: OAuthError.self) {
            try await discover(
                "https://api.example/", challenge: Self.challenge, resource: "https://api.example", servers: "[]")
        }
    }
}
