// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import EchoServer

struct SignInRoutesTests {
    private let router = EchoRouter()

    private func token(_ form: String) async throws -> (status: Int, reply: [String: String]) {
        let response = try await ask(
            "/oauth/token", .post, fields: [.contentType: "application/x-www-form-urlencoded"], body: form, of: router)
        #expect(response.headers[.cacheControl] == "no-store")
        let pairs = try response.json(Reply.self)
        let members = ["access_token": pairs.access_token, "refresh_token": pairs.refresh_token, "error": pairs.error]
        return (response.statusCode, members.compactMapValues { $0 })
    }

    private struct Reply: Decodable { var access_token, refresh_token, error, device_code: String? }

    private func user(_ token: String?) async throws -> Int {
        let fields: HTTPFields = token.map { [.authorization: "Bearer \($0)"] } ?? [:]
        return try await ask("/oauth/user", fields: fields, of: router).statusCode
    }

    @Test func aDeviceWaitsOnceAndRenewsItsToken() async throws {
        let code = try #require(try await ask("/oauth/device", .post, of: router).json(Reply.self).device_code)
        let poll = "grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=\(code)"
        #expect(try await token(poll) == (400, ["error": "authorization_pending"]))
        let first = try await token(poll).reply
        let access = try #require(first["access_token"])
        #expect(try await user(access) == 200)
        #expect(try await user(access) == 401)

        let refresh = "grant_type=refresh_token&refresh_token=\(first["refresh_token"] ?? "")"
        let second = try await token(refresh).reply
        #expect(second["access_token"] != access && second["refresh_token"] != first["refresh_token"])
        for _ in 1...3 { #expect(try await user(second["access_token"]) == 200) }
        #expect(try await token(refresh) == (400, ["error": "invalid_grant"]))
        #expect(try await token(poll) == (400, ["error": "invalid_grant"]))
    }

    @Test func whatWasNotGivenOutIsRefused() async throws {
        #expect(try await user(nil) == 401)
        #expect(try await user("access-1") == 401)
        #expect(try await token("grant_type=password") == (400, ["error": "unsupported_grant_type"]))
        #expect(try await token("") == (400, ["error": "unsupported_grant_type"]))
        #expect(try await token("grant_type=refresh_token") == (400, ["error": "invalid_grant"]))
    }

    @Test func theMetadataNamesTheEndpoints() async throws {
        struct Metadata: Decodable { var issuer, token_endpoint, device_authorization_endpoint: String }
        let metadata = try await ask("/.well-known/oauth-authorization-server").json(Metadata.self)
        #expect(metadata.issuer == "http://localhost")
        #expect(metadata.token_endpoint == "http://localhost/oauth/token")
        #expect(metadata.device_authorization_endpoint == "http://localhost/oauth/device")
    }
}
