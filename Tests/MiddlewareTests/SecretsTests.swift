// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Logging
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
import Testing

/// Everything at once, with a secret in every place, and nothing of it in anything that is written.
struct SecretsTests {
    @Test func theSearchFindsASecret() {
        #expect(Leaks.contains("Authorization: Bearer \(Secret.token)"))
        #expect(Leaks.contains("Basic \(Data("me:\(Secret.password)".utf8).base64EncodedString())"))
        #expect(!Leaks.contains("Authorization: ***"))
    }

    @Test func whatIsLoggedIsSearched() {
        withKnownIssue("a secret in a log") { LogCollector().logger().info("\(Secret.token)") }
    }

    @Test func whatIsThrownIsSearched() async {
        await withKnownIssue("a secret in an error") {
            let transport = ScriptedTransport(.failure(NetworkClientError(.connectionLost, Secret.token)))
            _ = try? await makeClient(transport).call()
        }
    }

    @Test(arguments: [200, 401, 404, 503])
    func noLayerWritesASecret(status: Int) async throws {
        let log = LogCollector()
        let written = Mutex<[String]>([])
        @Sendable func write(_ text: String) { written.withLock { $0.append(text) } }
        let answer = ScriptedReply.json(
            #"{"access_token":"\#(Secret.freshToken)","password":"\#(Secret.password)"}"#, status: status,
            fields: [
                .setCookie: "sid=\(Secret.cookie)", .location: "/?token=\(Secret.token)",
                .wwwAuthenticate: #"Bearer error="invalid_token""#,
            ])
        let transport = ScriptedTransport(.failure(.connectionLost), .redirect(to: "/2?token=\(Secret.token)"), answer)
        var retry = RetryMiddleware(backoff: .none)
        retry.onRetry = { write("\($0)") }
        let store = CredentialStore(Credential(token: Secret.token, refreshToken: Secret.refreshToken)) { _ in
            Credential(token: Secret.freshToken, refreshToken: Secret.refreshToken)
        }
        let client = makeClient(
            transport, LoggingMiddleware(log.logger(), details: .everything),
            MetricsMiddleware { write("\($0)") }, StatusValidationMiddleware(), RedirectMiddleware(), retry,
            BearerAuthMiddleware(store), APIKeyMiddleware(Secret.apiKey),
            APIKeyMiddleware(Secret.apiKey, in: .query("k")),
            LoggingMiddleware(log.logger(), details: .everything, scope: .attempt),
            .before { request in
                write(request.curlCommand(redaction: .standard))
                return request
            })
        do {
            let response = try await client.call(
                .put, "/?api_key=\(Secret.apiKey)&page=1",
                fields: [
                    .cookie: Secret.cookie, .proxyAuthorization: Secret.password, .contentType: "application/json",
                    .referer: "https://me:\(Secret.password)@a.example/?sig=\(Secret.token)",
                ], body: .data(Data(#"{"a":1}"#.utf8)))
            _ = try await response.body.collect()
            write("\(response.exchange)")
        } catch {
            write("\(error)")
            write(String(reflecting: error))
        }
        write("\(store) \(client.pipelineReport)")
        let texts = written.withLock { $0 } + log.messages + log.lines.map { "\($0.metadata)" }
        #expect(texts.count > 20)
        for text in texts { Leaks.check(text, "a text") }
        #expect(texts.joined().contains("***"))
    }

    @Test func whatHoldsASecretDoesNotShowIt() throws {
        let refusal = HTTPResponse(status: .tooManyRequests, headerFields: [.setCookie: "sid=\(Secret.cookie)"])
        let outcome = RetryCondition.Outcome(
            request: try TransportRequest(url: "https://api.example/?token=\(Secret.token)"),
            result: .success(refusal), attempt: 1)
        let holders: [Any] = [
            outcome, APIKeyMiddleware(Secret.apiKey), BearerAuthMiddleware(token: Secret.token),
            BasicAuthMiddleware(username: "me", password: Secret.password),
            makeClient(ScriptedTransport(), APIKeyMiddleware(Secret.apiKey)).configuration,
            QueryItemsMiddleware([URLQueryItem(name: "key", value: Secret.apiKey)]),
            DefaultFieldsMiddleware([.authorization: "Bearer \(Secret.token)"]),
        ]
        for holder in holders {
            var dumped = ""
            dump(holder, to: &dumped)
            Leaks.check("\(holder) \(String(reflecting: holder)) \(dumped)", "\(type(of: holder))")
        }
    }

    @Test func whatIsThrownHidesItFromDumpsToo() async throws {
        let refusal = ScriptedReply.status(429, fields: [.setCookie: "sid=\(Secret.cookie)"], retryAfter: 1)
        let client = makeClient(ScriptedTransport(refusal), RetryAfterMiddleware())
        var dumped = ""
        do { _ = try await client.call() } catch { dump(error, to: &dumped) }
        #expect(dumped.contains("429"))
        Leaks.check(dumped, "a dump")
    }
}
