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

struct BearerAuthMiddlewareTests {
    // MARK: Signing

    @Test func signsRequestsToTheBaseURL() async throws {
        let transport = ScriptedTransport()
        _ = try await makeClient(transport, BearerAuthMiddleware(token: Secret.token)).call(
            fields: [.authorization: "Basic x", .accept: "text/plain"])
        #expect(transport.requests[0]["authorization"] == Bearer.old)
        #expect(transport.requests[0]["accept"] == "text/plain")
    }

    @Test(arguments: [
        "https://other.example/", "http://api.example/", "https://api.example:8443/", "https://sub.api.example/",
    ])
    func keepsTheTokenFromOtherOrigins(url: String) async throws {
        let transport = ScriptedTransport()
        _ = try await makeClient(transport, BearerAuthMiddleware(token: Secret.token)).call(.get, url)
        #expect(transport.requests[0]["authorization"] == nil)
    }

    @Test func keepsTheTokenFromTheTargetsOfRedirects() async throws {
        let transport = ScriptedTransport(
            .redirect(to: "https://other.example/2"), .redirect(to: "https://API.example:443/3"), .status(200))
        _ = try await makeClient(transport, BearerAuthMiddleware(token: Secret.token)).call()
        #expect(transport.requests.map { $0["authorization"] } == [Bearer.old, nil, Bearer.old])
    }

    @Test func goesToTheOriginsThatAreNamed() async throws {
        let transport = ScriptedTransport()
        let auth = BearerAuthMiddleware(
            token: Secret.token, origins: .origins(Origin(scheme: "https", host: "b.example")))
        let client = makeClient(transport, auth, baseURL: nil)
        _ = try await client.call(.get, "https://B.example/x")
        _ = try await client.call(.get, "https://api.example/x")
        #expect(transport.requests.map { $0["authorization"] } == [Bearer.old, nil])
    }

    @Test(arguments: [nil, "api.example", "ftp://api.example"])
    func saysSoWhenThereIsNoOriginToBeBoundTo(baseURL: String?) async throws {
        let transport = ScriptedTransport()
        let client = makeClient(transport, BearerAuthMiddleware(token: Secret.token), baseURL: baseURL)
        await #expect {
            _ = try await client.call(.get, "https://api.example/x")
        } throws: {
            isFailure($0, .invalidRequest)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func leavesAnExemptRequestAloneThatALayerHasMadeAnew() async throws {
        let transport = ScriptedTransport()
        let client = makeClient(
            transport, .before { TransportRequest(head: $0.head, body: $0.body) },
            BearerAuthMiddleware(token: Secret.token))
        _ = try await client.call { $0.isAuthenticationExempt = true }
        _ = try await client.call(.trace)
        #expect(transport.requests.map { $0.head.headerFields[.authorization] } == [nil, nil])
    }

    @Test func leavesExemptRequestsAlone() async throws {
        let transport = ScriptedTransport()
        _ = try await makeClient(transport, BearerAuthMiddleware(token: Secret.token)).call(
            fields: [.authorization: "Basic x"]) { $0.isAuthenticationExempt = true }
        #expect(transport.requests[0]["authorization"] == "Basic x")
        _ = try await makeClient(transport, BearerAuthMiddleware(token: Secret.token)).call(.trace)
        #expect(transport.requests[1]["authorization"] == nil)
    }

    @Test(arguments: [nil, ""])
    func leavesTheRequestAloneWithoutAToken(token: String?) async throws {
        let transport = ScriptedTransport()
        let client = makeClient(transport, BearerAuthMiddleware { token })
        _ = try await client.call(fields: [.authorization: "Basic x"])
        #expect(transport.requests[0]["authorization"] == "Basic x")
    }

    @Test func refusesATokenThatWouldBreakTheField() async throws {
        let transport = ScriptedTransport()
        await #expect {
            _ = try await makeClient(transport, BearerAuthMiddleware(token: "\(Secret.token)\r\nX: 1")).call()
        } throws: {
            isFailure($0, .invalidRequest)
        }
        #expect(transport.requests.isEmpty)
    }

    // MARK: Renewal

    @Test func sendsTheRequestAgainWithAFreshToken() async throws {
        let transport = Bearer.server()
        let renewals = Renewals()
        let store = renewals.store { previous in
            #expect(previous?.token == Secret.token)
            return Credential(token: Secret.freshToken)
        }
        let client = makeClient(transport, BearerAuthMiddleware(store))
        let response = try await client.call(.post, body: .data(Data("x".utf8)))
        #expect(try await response.body.collect() == Data("ok".utf8))
        #expect(transport.requests.map { $0["authorization"] } == [Bearer.old, Bearer.fresh])
        #expect(transport.requests.map(\.text) == ["x", "x"])
        #expect(response.exchange.attempts.map(\.reason) == [.first, .refresh])
        _ = try await client.call()
        #expect(renewals.number == 1)
        #expect(store.credential?.token == Secret.freshToken)
    }

    @Test func handsUpTheSecondRefusal() async throws {
        let transport = ScriptedTransport(.text("no", status: 401))
        let renewals = Renewals()
        let response = try await makeClient(transport, BearerAuthMiddleware(renewals.store())).call()
        #expect(response.head.status == .unauthorized)
        #expect(try await response.body.collect() == Data("no".utf8))
        #expect(transport.requests.count == 2)
        #expect(renewals.number == 1)
    }

    @Test func handsUpTheRefusalOfATokenThatStaysAsItIs() async throws {
        let transport = Bearer.server()
        let response = try await makeClient(transport, BearerAuthMiddleware(token: Secret.token)).call()
        #expect(try await response.body.collect() == Data("who are you?".utf8))
        #expect(transport.requests.count == 1)
    }

    @Test func asksAProviderAgainAndTriesItsOtherAnswer() async throws {
        let tokens = Mutex([Secret.token, Secret.freshToken])
        let transport = Bearer.server()
        let auth = BearerAuthMiddleware { tokens.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
        #expect(try await makeClient(transport, auth).call().head.status == .ok)
        #expect(transport.requests.count == 2)
        let same = BearerAuthMiddleware { Secret.token }
        let response = try await makeClient(transport, same).call()
        #expect(try await response.body.collect() == Data("who are you?".utf8))
        #expect(transport.requests.count == 3)
    }

    @Test(arguments: [
        (#"Bearer error="insufficient_scope", scope="admin""#, 0), (#"Bearer error="invalid_request""#, 0),
        (#"Bearer realm="x""#, 1), (#"Basic realm="x", Bearer error="invalid_token""#, 1), ("Basic", 1),
    ])
    func renewsWhenTheChallengeSaysThatTheTokenIsBad(challenge: String, expected: Int) async throws {
        let renewals = Renewals()
        _ = try await makeClient(Bearer.server(challenge: challenge), BearerAuthMiddleware(renewals.store())).call()
        #expect(renewals.number == expected)
    }

    @Test func handsUpTheRefusalOfABodyThatIsUsedUpAndRenewsForTheNextCall() async throws {
        let transport = Bearer.server()
        let renewals = Renewals()
        let client = makeClient(transport, BearerAuthMiddleware(renewals.store()))
        #expect(try await client.call(.post, body: oneShotBody()).head.status == .unauthorized)
        #expect(renewals.number == 0)
        #expect(try await client.call(.post, body: oneShotBody()).head.status == .ok)
        #expect(renewals.number == 1)
        #expect(transport.requests.count == 2)
    }

    @Test func getsTheFirstTokenBeforeTheFirstRequest() async throws {
        let transport = Bearer.server()
        let renewals = Renewals()
        let client = makeClient(transport, BearerAuthMiddleware(renewals.store(initial: nil)))
        #expect(try await client.call().head.status == .ok)
        #expect(transport.requests.count == 1)
        #expect(renewals.number == 1)
    }

    @Test func aRequestThatIsRefusedWhileSomebodyLogsOutGoesOutAsItIs() async throws {
        let transport = ScriptedTransport(.text("who are you?", status: 401))
        let box = Mutex<CredentialStore?>(nil)
        let store = CredentialStore(Credential(token: Secret.token)) { _ in
            try await box.withLock { $0 }?.replace(with: nil)
            throw TestError()
        }
        box.withLock { $0 = store }
        let response = try await makeClient(transport, BearerAuthMiddleware(store)).call()
        #expect(transport.requests.map { $0["authorization"] } == [Bearer.old, nil])
        #expect(try await response.body.collect() == Data("who are you?".utf8))
    }

    // MARK: Providers

    @Test(arguments: [nil, Duration.seconds(3600)])
    func aProviderThatAsksThroughTheSameClientIsNotAskedByItself(deadline: Duration?) async throws {
        let transport = ScriptedTransport { request in
            request.path == "/token" ? .text(Secret.freshToken) : .status(200)
        }
        let clientBox = Mutex<NetworkClient?>(nil)
        let auth = BearerAuthMiddleware {
            // There is none for a second time, which would not be the last.
            let client = try #require(clientBox.withLock { $0.take() })
            return try await client.run(NetworkRequest<VoidRequest, String>(path: "token", method: .post)).value
        }
        let client = makeClient(transport, auth)
        clientBox.withLock { $0 = client }
        _ = try await client.call { $0.timeouts.deadline = deadline }
        #expect(transport.requests.map { $0["authorization"] } == [nil, Bearer.fresh])
    }

    @Test(.timeLimit(.minutes(10)))
    func waitsForAProviderNoLongerThanTheDeadlineOfTheCall() async throws {
        let gate = Gate()
        let auth = BearerAuthMiddleware {
            await gate.pass()
            return Secret.token
        }
        let client = makeClient(ScriptedTransport(), auth)
        await #expect {
            _ = try await client.call { $0.timeouts.deadline = .nanoseconds(1) }
        } throws: { error in
            (error as? NetworkClientError)?.timeout == .deadline
        }
        await gate.open()
        #expect(try await client.call { $0.timeouts.deadline = .seconds(3600) }.head.status == .ok)
    }

    @Test func aCancelledCallAsksForNoToken() async throws {
        let questions = Mutex(0)
        let auth = BearerAuthMiddleware {
            questions.withLock { $0 += 1 }
            return Secret.token
        }
        let client = makeClient(ScriptedTransport(), auth)
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await client.call()
        }
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(questions.withLock { $0 } == 0)
    }

    @Test(.timeLimit(.minutes(10)), arguments: [nil, Duration.seconds(3600)])
    func cancellingTheCallCancelsTheProvider(deadline: Duration?) async throws {
        let begun = Gate(opensAfter: 1)
        let ended = Gate(opensAfter: 1)
        let auth = BearerAuthMiddleware {
            await begun.pass()
            _ = try? await untilCancelled()
            await ended.pass()
            return Secret.token
        }
        let client = makeClient(ScriptedTransport(), auth)
        let call = Task { _ = try await client.call { $0.timeouts.deadline = deadline } }
        await begun.waitForArrivals(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        await ended.waitForArrivals(1)
    }

    // MARK: Resources that refuse every token

    /// Answers 200 to every token but the first, and 401 to all at the refusing paths.
    private func server(refusing paths: @escaping @Sendable (String) -> Bool) -> ScriptedTransport {
        ScriptedTransport { request in
            paths(request.path) || request["authorization"] == Bearer.old ? .status(401) : .status(200)
        }
    }

    @Test func aResourceThatRefusesEveryTokenCostsOneRenewal() async throws {
        let renewals = Renewals()
        let client = makeClient(server { $0 == "/closed" }, BearerAuthMiddleware(renewals.store()))
        for index in 0..<20 {
            #expect(try await client.call(.get, "/closed?page=\(index)").head.status == .unauthorized)
        }
        #expect(renewals.number == 1)
    }

    @Test func manyResourcesThatRefuseEveryTokenCostFewRenewals() async throws {
        let renewals = Renewals()
        let clock = VirtualClock()
        let client = makeClient(
            server { $0.hasPrefix("/closed") }, BearerAuthMiddleware(renewals.store()), clock: clock)
        for index in 0..<1000 { _ = try await client.call(.get, "/closed/\(index % 400)") }
        #expect(renewals.number == 1)
        clock.advance(by: .seconds(3))
        for index in 0..<1000 { _ = try await client.call(.get, "/closed/\(index % 400)") }
        #expect(renewals.number == 2)
    }

    @Test func itIsTriedAgainAfterAMinute() async throws {
        let renewals = Renewals()
        let clock = VirtualClock()
        let client = makeClient(server { $0 == "/closed" }, BearerAuthMiddleware(renewals.store()), clock: clock)
        _ = try await client.call(.get, "/closed")
        clock.advance(by: .seconds(59))
        _ = try await client.call(.get, "/closed")
        #expect(renewals.number == 1)
        clock.advance(by: .seconds(1))
        _ = try await client.call(.get, "/closed")
        #expect(renewals.number == 2)
    }

    @Test func itIsTriedAgainWhenTheAppSetsAnotherToken() async throws {
        let renewals = Renewals()
        let store = renewals.store()
        let client = makeClient(server { $0 == "/closed" }, BearerAuthMiddleware(store))
        _ = try await client.call(.get, "/closed")
        try await store.replace(with: Credential(token: Secret.token))
        _ = try await client.call(.get, "/closed")
        #expect(renewals.number == 2)
    }

    @Test func aTokenThatExpiresIsRenewedForOtherResources() async throws {
        let renewals = Renewals()
        let clock = VirtualClock()
        let revoked = Mutex(Bearer.old)
        let transport = ScriptedTransport { request in
            request.path == "/closed" || request["authorization"] == revoked.withLock { $0 }
                ? .status(401) : .status(200)
        }
        let count = Mutex(0)
        let store = renewals.store { _ in
            Credential(
                token: count.withLock { count in
                    count += 1
                    return "\(Secret.freshToken)\(count)"
                })
        }
        let client = makeClient(transport, BearerAuthMiddleware(store), clock: clock)
        _ = try await client.call(.get, "/closed")
        clock.advance(by: .seconds(2))
        revoked.withLock { $0 = "Bearer \(Secret.freshToken)1" }
        #expect(try await client.call(.get, "/open").head.status == .ok)
        #expect(renewals.number == 2)
    }

    // MARK: Credentials in clear

    @Test(arguments: [
        ("http://api.example", true), ("https://api.example", false), ("http://localhost:8080", false),
        ("http://app.localhost", false), ("http://127.0.0.1:1", false), ("http://[::1]", false),
        ("http://127.0.0.1.example", true), ("http://notlocalhost", true),
    ])
    func credentialsInClearAreSpokenOf(baseURL: String, isInClear: Bool) async throws {
        let log = LogCollector()
        let client = makeClient(
            ScriptedTransport(.status(200)), LoggingMiddleware(log.logger()), BearerAuthMiddleware(token: Secret.token),
            baseURL: baseURL)
        let response = try await client.call()
        #expect(response.exchange.attempts[0].hasCredentialsInClear == isInClear)
        #expect(response.exchange.description.contains("with credentials in clear") == isInClear)
        #expect(log.messages[0].hasSuffix(", credentials in clear") == isInClear)
        #expect(client.pipelineReport.description.contains("anybody on the way can read them") == isInClear)
    }

    @Test func aPolicyCanRefuseThem() async throws {
        let transport = ScriptedTransport(.status(200))
        for url in ["http://api.example", "https://api.example", "http://[::1]"] {
            let client = makeClient(
                transport, BearerAuthMiddleware(token: Secret.token, origins: .baseURL.requiringTLS), baseURL: url)
            if url == "http://api.example" {
                await #expect { _ = try await client.call() } throws: { isFailure($0, .invalidRequest) }
            } else {
                _ = try await client.call()
            }
        }
        #expect(transport.requests.count == 2)
    }
}
