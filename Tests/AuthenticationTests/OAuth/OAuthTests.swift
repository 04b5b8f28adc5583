// SPDX-License-Identifier: Apache-2.0

import Foundation
import MiddlewareSupport
import StrataAuthentication
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

struct OAuthTests {
    private let clock = VirtualClock()

    private func endpoint(
        _ transport: ScriptedTransport, secret: String? = Secret.clientSecret,
        authentication: OAuthTokenEndpoint.ClientAuthentication = .basic
    ) throws -> OAuthTokenEndpoint {
        OAuthTokenEndpoint(
            url: try #require(URL(string: "https://id.example/token")), clientID: "the app", clientSecret: secret,
            authentication: authentication, client: makeClient(transport, clock: clock))
    }

    private static let answer =
        #"{"access_token":"\#(Secret.freshToken)","token_type":"bearer","expires_in":3600,"refresh_token":"r2"}"#

    @Test func asksWithTheClientsOwnCredentials() async throws {
        let transport = ScriptedTransport(.json(Self.answer))
        let credential = try await endpoint(transport).credential(for: .clientCredentials(scope: "a b"))
        #expect(
            credential
                == Credential(token: Secret.freshToken, expiry: clock.date.addingTimeInterval(3600), refreshToken: "r2")
        )
        let request = try #require(transport.requests.first)
        #expect(request.method == .post)
        #expect(request.url == "https://id.example/token")
        #expect(request.text == "grant_type=client_credentials&scope=a+b")
        #expect(request["content-type"] == "application/x-www-form-urlencoded")
        #expect(request["accept"] == "application/json")
        let expected = Data("the+app:\(Secret.clientSecret)".utf8).base64EncodedString()
        #expect(request["authorization"] == "Basic \(expected)")
        #expect(request.options.isAuthenticationExempt)
    }

    @Test func asksWithWhateverGrantIsGiven() async throws {
        let transport = ScriptedTransport(
            .json(#"{"error":"authorization_pending"}"#, status: 400), .json(Self.answer), .json(Self.answer))
        let server = try endpoint(transport)
        let pending = await #expect(throws: OAuthError.self) { try await server.credential(for: .deviceCode("d")) }
        #expect(pending?.code == "authorization_pending")
        _ = try await server.credential(for: .deviceCode("d"))
        _ = try await server.credential(
            for: OAuthGrant(type: "urn:x", parameters: ["subject_token": "s", "scope": nil, "audience": "a b"]))
        let device = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=d"
        #expect(
            transport.requests.map(\.text) == [device, device, "grant_type=urn%3Ax&audience=a+b&subject_token=s"])
    }

    @Test func whatAnExtensionGrantSendsIsNotLogged() async throws {
        let log = LogCollector()
        let transport = ScriptedTransport(.json(#"{"access_token":"b"}"#))
        let endpoint = OAuthTokenEndpoint(
            url: try #require(URL(string: "https://id.example/token")), clientID: "app",
            client: makeClient(transport, LoggingMiddleware(log.logger(), details: .requestBody)))
        let grant = OAuthGrant(
            type: "refresh_token",
            parameters: ["refresh_token": Secret.refreshToken, "ticket": Secret.token, "grant_type": "other"])
        let credential = try await endpoint.credential(for: grant)
        #expect(log.messages.first == "-> body: grant_type=refresh_token&refresh_token=***&ticket=***&client_id=app")
        #expect(credential.refreshToken == Secret.refreshToken, "it remains good")
    }

    @Test func saysNothingTwice() async throws {
        let transport = ScriptedTransport(.json(Self.answer))
        _ = try await endpoint(transport, secret: nil).credential(
            for: OAuthGrant(type: "urn:x", parameters: ["client_id": "app", "client_assertion": "a"]))
        #expect(transport.requests.map(\.text) == ["grant_type=urn%3Ax&client_assertion=a&client_id=app"])
    }

    @Test func namesAPublicClientInTheBody() async throws {
        let transport = ScriptedTransport(.json(Self.answer))
        _ = try await endpoint(transport, secret: nil).credential(for: .refreshToken(Secret.refreshToken))
        #expect(transport.requests[0]["authorization"] == nil)
        #expect(
            transport.requests[0].text
                == "grant_type=refresh_token&refresh_token=\(Secret.refreshToken)&client_id=the+app")
        _ = try await endpoint(transport, authentication: .body).credential(for: .clientCredentials())
        #expect(
            transport.requests[1].text
                == "grant_type=client_credentials&client_id=the+app&client_secret=\(Secret.clientSecret)")
    }

    @Test func redeemsACodeWithItsProof() async throws {
        let transport = ScriptedTransport(.json(Self.answer))
        _ = try await endpoint(transport, secret: nil).credential(
            for: .authorizationCode("c", redirectURI: "app://x", proofKey: ProofKey(verifier: "v")))
        #expect(
            transport.requests[0].text
                == "grant_type=authorization_code&code=c&code_verifier=v&redirect_uri=app%3A%2F%2Fx&client_id=the+app")
    }

    @Test func keepsTheRefreshTokenUntilThereIsANewOne() async throws {
        let transport = ScriptedTransport(.json(#"{"access_token":"b","token_type":"Bearer"}"#))
        let source = try endpoint(transport).refreshToken()
        let credential = try await source.credential(
            replacing: Credential(token: "a", refreshToken: Secret.refreshToken))
        #expect(credential == Credential(token: "b", refreshToken: Secret.refreshToken))
        await #expect {
            _ = try await source.credential(replacing: Credential(token: "a"))
        } throws: {
            isFailure($0, .signedOut)
        }
        await #expect { _ = try await source.credential(replacing: nil) } throws: { isFailure($0, .signedOut) }
    }

    @Test(arguments: [("3600", 3600.0), (#""60""#, 60), ("-5", nil), (#""soon""#, nil), ("null", nil), ("1e300", 1e10)])
    func readsLifetimes(text: String, seconds: Double?) async throws {
        let transport = ScriptedTransport(.json(#"{"access_token":"b","expires_in":\#(text)}"#))
        let credential = try await endpoint(transport).credential(for: .clientCredentials())
        #expect(credential.expiry == seconds.map { clock.date.addingTimeInterval($0) })
    }

    @Test(arguments: [
        (400, #"{"error":"invalid_grant","error_description":"token s3cr3t-token-A revoked"}"#, "invalid_grant"),
        (401, #"{"error":"invalid_client"}"#, "invalid_client"), (500, "oops", "invalid_response"),
        (400, #"{"error":"s3cr3t \n"}"#, "invalid_response"), (200, "{}", "invalid_response"),
        (200, #"{"access_token":"","token_type":"Bearer"}"#, "invalid_response"),
        (200, #"{"access_token":"a","token_type":"mac"}"#, "invalid_response"),
        (302, "", "invalid_response"), (200, String(repeating: "[", count: 513), "invalid_response"),
        (200, #"{"error":"bad_verification_code"}"#, "bad_verification_code"),
        (400, #"{"error":"invalid_scope","error_description":7}"#, "invalid_scope"),
    ])
    func tellsWhyThereIsNoToken(status: Int, body: String, code: String) async throws {
        let transport = ScriptedTransport(.json(body, status: status, fields: [.location: "https://b.example/"]))
        await #expect {
            _ = try await endpoint(transport).credential(for: .clientCredentials())
        } throws: { error in
            Leaks.check("\(error)", "an error")
            return (error as? OAuthError)?.code == code && (error as? OAuthError)?.status?.code == status
                && error.localizedDescription == "\(error)"
        }
        #expect(transport.requests.count == 1)
    }

    @Test func tellsWhyThroughAClientThatJudgesStatuses() async throws {
        let transport = ScriptedTransport(.json(#"{"error":"invalid_grant"}"#, status: 400))
        let endpoint = OAuthTokenEndpoint(
            url: try #require(URL(string: "https://id.example/token")), clientID: "app",
            client: makeClient(transport, StatusValidationMiddleware()))
        let error = await #expect(throws: OAuthError.self) { try await endpoint.credential(for: .clientCredentials()) }
        #expect(error?.code == "invalid_grant")
    }

    @Test func keepsAClientSigned() async throws {
        let transport = ScriptedTransport { request in
            if request.path == "/token" { return .json(Self.answer) }
            return .status(request["authorization"] == "Bearer \(Secret.freshToken)" ? 200 : 401)
        }
        let store = CredentialStore(
            Credential(token: Secret.token, refreshToken: Secret.refreshToken),
            source: try endpoint(transport).refreshToken())
        let client = makeClient(transport, BearerAuthMiddleware(store), clock: clock)
        #expect(try await client.call().head.status == .ok)
        #expect(store.credential?.refreshToken == "r2")
        clock.advance(by: .seconds(3600))
        #expect(try await client.call().head.status == .ok)
        #expect(transport.requests.map(\.path) == ["/", "/token", "/", "/token", "/"])
    }

    @Test func proofKeysAreRandomAndShowNoSecret() {
        let key = ProofKey()
        #expect(key != ProofKey())
        #expect(key.verifier.utf8.count == 43)
        let marked = ProofKey(verifier: Secret.password)
        var dumped = ""
        dump(marked, to: &dumped)
        Leaks.check("\(marked) \(String(reflecting: marked)) \(dumped)", "a proof key")
    }
}
