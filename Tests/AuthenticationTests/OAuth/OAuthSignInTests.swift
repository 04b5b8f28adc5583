// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
import Testing

@testable import StrataAuthentication

struct OAuthSignInTests {
    private let clock = VirtualClock()

    private static let server = OAuthServer(
        issuer: "https://id.example", tokenEndpoint: URL(filePath: "/"),
        authorizationEndpoint: URL(string: "https://id.example/authorize?tenant=a"))

    private func signIn(_ transport: ScriptedTransport, devices: String? = "https://id.example/device") throws
        -> OAuthSignIn
    {
        OAuthSignIn(
            server: OAuthServer(
                issuer: "https://id.example", tokenEndpoint: try #require(URL(string: "https://id.example/token")),
                authorizationEndpoint: URL(string: "https://id.example/authorize?tenant=a"),
                deviceAuthorizationEndpoint: devices.flatMap { URL(string: $0) }),
            clientID: "the app", scope: "a b", client: makeClient(transport, clock: clock))
    }

    private static func codes(_ more: String = #","interval":7"#, lifetime: Int = 60) -> ScriptedReply {
        .json(
            #"{"device_code":"\#(Secret.password)","user_code":"\#(Secret.token)","verification_uri":"https://id.example/go","#
                + #""verification_uri_complete":"https://id.example/go?code=\#(Secret.token)","expires_in":\#(lifetime)\#(more)}"#
        )
    }

    private static let pending = ScriptedReply.json(#"{"error":"authorization_pending"}"#, status: 400)
    private static let slowDown = ScriptedReply.json(#"{"error":"slow_down"}"#, status: 400)
    private static let token = ScriptedReply.json(#"{"access_token":"\#(Secret.freshToken)","refresh_token":"r"}"#)

    // MARK: Devices

    @Test func asksAsOftenAsTheServerAllows() async throws {
        let transport = ScriptedTransport(
            Self.codes(lifetime: 300), Self.pending, Self.slowDown, .failure(.connectionLost), Self.pending, Self.token)
        let prompts = Mutex<[OAuthSignIn.DevicePrompt]>([])
        let credential = try await signIn(transport).byDevice { prompt in prompts.withLock { $0.append(prompt) } }
        #expect(credential == Credential(token: Secret.freshToken, refreshToken: "r"))
        #expect(
            clock.sleeps == [7, 7, 12, 24, 24].map { Duration.seconds($0) })
        let prompt = try #require(prompts.withLock { $0.first })
        #expect(prompt.userCode == Secret.token)
        #expect(prompt.url.absoluteString == "https://id.example/go")
        #expect(prompt.completeURL?.query == "code=\(Secret.token)")
        var dumped = ""
        dump(prompt, to: &dumped)
        Leaks.check("\(prompt)\(dumped)", "a prompt")
        #expect(transport.requests.map(\.path).prefix(2) == ["/device", "/token"])
        #expect(transport.requests[0].text == "scope=a+b&client_id=the+app")
        #expect(transport.requests[1].text.contains("device_code=\(Secret.password)"))
    }

    @Test func waitsFiveSecondsUnlessTold() async throws {
        _ = try await signIn(ScriptedTransport(Self.codes(""), Self.token)).byDevice { _ in }
        #expect(clock.sleeps == [.seconds(5)])
    }

    @Test func aServerThatWantsNoWaitIsNotAskedInALoop() async throws {
        _ = try await signIn(ScriptedTransport(Self.codes(#","interval":0"#), Self.pending, Self.token)).byDevice { _ in
        }
        #expect(clock.sleeps == [.seconds(1), .seconds(1)])
    }

    @Test func theCodeExpires() async throws {
        let transport = ScriptedTransport(Self.codes(), Self.pending)
        let error = await #expect(throws: OAuthError.self) { try await signIn(transport).byDevice { _ in } }
        #expect(error?.code == "expired_token")
        #expect(clock.now < .seconds(60))
    }

    @Test(arguments: ["access_denied", "expired_token"]) func aRefusalEndsTheSignIn(_ code: String) async throws {
        let transport = ScriptedTransport(Self.codes(), .json(#"{"error":"\#(code)"}"#, status: 400))
        let error = await #expect(throws: OAuthError.self) { try await signIn(transport).byDevice { _ in } }
        #expect(error?.code == code)
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: ["{}", "oops", #"{"error":"invalid_client"}"#, #"{"device_code":1}"#])
    func aServerWithoutCodesIsAnError(_ body: String) async throws {
        let error = await #expect(throws: OAuthError.self) {
            try await signIn(ScriptedTransport(.json(body))).byDevice { _ in Issue.record("nobody is told") }
        }
        #expect(error?.code == (body.contains("invalid_client") ? "invalid_client" : "invalid_response"))
        await #expect(throws: OAuthError.self) {
            try await signIn(ScriptedTransport(), devices: nil).byDevice { _ in }
        }
    }

    @Test func aCancelEndsTheWait() async throws {
        let signIn = try signIn(ScriptedTransport(Self.codes(), Self.pending))
        let task = Task { try await signIn.byDevice { _ in withUnsafeCurrentTask { $0?.cancel() } } }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    // MARK: Browsers

    @Test func theBrowserIsSentWithAProof() throws {
        let url = try signIn(ScriptedTransport()).authorizationURL(
            redirect: "http://127.0.0.1:5/cb", state: "s", proof: ProofKey(verifier: "v"))
        #expect(
            url.absoluteString
                == "https://id.example/authorize?tenant=a&response_type=code&client_id=the%20app"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A5%2Fcb&scope=a%20b&state=s"
                + "&code_challenge=\(ProofKey(verifier: "v").challenge)&code_challenge_method=S256")
    }

    private func outcome(_ line: String, namesIssuer: Bool = false) -> String {
        var server = Self.server
        server.namesIssuer = namesIssuer
        let answer = AuthorizationAnswer(
            "\(line)\r\nHost: 127.0.0.1\r\n\r\n", .init(path: "/cb", state: "s+1", server: server))
        switch answer.outcome {
        case .code(let code): return "code \(code)"
        case .refused(let error): return error.code
        case .ignored: return "ignored"
        }
    }

    @Test(arguments: [
        ("GET /cb?code=a%2Bb+c&state=s%2B1 HTTP/1.1", "code a+b c"),
        ("GET /cb?state=s%2B1&code=a&iss=https%3A%2F%2Fid.example HTTP/1.1", "code a"),
        ("GET /cb?state=s%2B1&code=a&iss=https%3A%2F%2Fevil.example HTTP/1.1", "invalid_response"),
        ("GET /cb?error=access_denied&state=s%2B1 HTTP/1.1", "access_denied"),
        ("GET /cb?error=%0A&state=s%2B1 HTTP/1.1", "invalid_response"),
        ("GET /cb?state=s%2B1 HTTP/1.1", "invalid_response"),
        ("GET /cb?code=&state=s%2B1 HTTP/1.1", "invalid_response"),
        ("GET /cb?code=a&state=other HTTP/1.1", "ignored"), ("GET /cb?code=a HTTP/1.1", "ignored"),
        ("GET /cb?code=a&code=b&state=s%2B1 HTTP/1.1", "ignored"), ("POST /cb?code=a&state=s%2B1 HTTP/1.1", "ignored"),
        ("GET /favicon.ico HTTP/1.1", "ignored"), ("GET /cb HTTP/1.1", "ignored"), ("", "ignored"), ("GET", "ignored"),
    ])
    func readsTheAnswerOfABrowser(_ line: String, _ expected: String) {
        #expect(outcome(line) == expected)
    }

    @Test func aServerThatNamesItselfAlwaysHasTo() {
        #expect(outcome("GET /cb?code=a&state=s%2B1 HTTP/1.1", namesIssuer: true) == "invalid_response")
        #expect(outcome("GET /cb?code=a&state=s%2B1&iss=https://id.example HTTP/1.1", namesIssuer: true) == "code a")
    }
}
