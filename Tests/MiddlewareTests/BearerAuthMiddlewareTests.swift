// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct BearerAuthMiddlewareTests {
    private static let old = "Bearer \(Secret.token)"
    private static let fresh = "Bearer \(Secret.freshToken)"

    /// Answers 200 to the fresh token alone.
    private static func server(
        challenge: String = #"Bearer error="invalid_token""#,
        before: @escaping @Sendable (RecordedRequest) async -> Void = { _ in }
    ) -> ScriptedTransport {
        ScriptedTransport { request in
            await before(request)
            if request["authorization"] == fresh { return .text("ok") }
            return .text("who are you?", status: 401, fields: [.wwwAuthenticate: challenge])
        }
    }

    /// A store with a refused token that counts its renewals.
    private final class Renewals: Sendable {
        private let count = Mutex(0)
        var number: Int { count.withLock { $0 } }

        func store(
            expiry: Date? = nil, renewAhead: Duration = .zero, initial: String? = Secret.token,
            _ body: @escaping @Sendable (Credential?) async throws -> Credential = { _ in
                Credential(token: Secret.freshToken)
            }
        ) -> CredentialStore {
            CredentialStore(initial.map { Credential(token: $0, expiry: expiry) }, renewAhead: renewAhead) { [self] in
                count.withLock { $0 += 1 }
                return try await body($0)
            }
        }
    }

    // MARK: Signing

    @Test func signsRequestsToTheBaseURL() async throws {
        let transport = ScriptedTransport()
        _ = try await makeClient(transport, BearerAuthMiddleware(token: Secret.token)).call(
            fields: [.authorization: "Basic x", .accept: "text/plain"])
        #expect(transport.requests[0]["authorization"] == Self.old)
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
        #expect(transport.requests.map { $0["authorization"] } == [Self.old, nil, Self.old])
    }

    @Test func goesToTheOriginsThatAreNamed() async throws {
        let transport = ScriptedTransport()
        let auth = BearerAuthMiddleware(
            token: Secret.token, origins: .origins(Origin(scheme: "https", host: "b.example")))
        let client = makeClient(transport, auth, baseURL: nil)
        _ = try await client.call(.get, "https://B.example/x")
        _ = try await client.call(.get, "https://api.example/x")
        #expect(transport.requests.map { $0["authorization"] } == [Self.old, nil])
    }

    @Test func saysSoWhenThereIsNoOriginToBeBoundTo() async throws {
        let transport = ScriptedTransport()
        let client = makeClient(transport, BearerAuthMiddleware(token: Secret.token), baseURL: nil)
        await #expect {
            _ = try await client.call()
        } throws: {
            isFailure($0, .invalidRequest)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func leavesExemptRequestsAlone() async throws {
        let transport = ScriptedTransport()
        _ = try await makeClient(transport, BearerAuthMiddleware(token: Secret.token)).call(
            fields: [.authorization: "Basic x"]) { $0.isAuthenticationExempt = true }
        #expect(transport.requests[0]["authorization"] == "Basic x")
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
        let transport = Self.server()
        let renewals = Renewals()
        let store = renewals.store { previous in
            #expect(previous?.token == Secret.token)
            return Credential(token: Secret.freshToken)
        }
        let client = makeClient(transport, BearerAuthMiddleware(store))
        let response = try await client.call(.post, body: .data(Data("x".utf8)))
        #expect(try await response.body.collect() == Data("ok".utf8))
        #expect(transport.requests.map { $0["authorization"] } == [Self.old, Self.fresh])
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
        let transport = Self.server()
        let response = try await makeClient(transport, BearerAuthMiddleware(token: Secret.token)).call()
        #expect(try await response.body.collect() == Data("who are you?".utf8))
        #expect(transport.requests.count == 1)
    }

    @Test func asksAProviderAgainAndTriesItsOtherAnswer() async throws {
        let tokens = Mutex([Secret.token, Secret.freshToken])
        let transport = Self.server()
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
        _ = try await makeClient(Self.server(challenge: challenge), BearerAuthMiddleware(renewals.store())).call()
        #expect(renewals.number == expected)
    }

    @Test func handsUpTheRefusalOfABodyThatIsUsedUpAndRenewsForTheNextCall() async throws {
        let transport = Self.server()
        let renewals = Renewals()
        let client = makeClient(transport, BearerAuthMiddleware(renewals.store()))
        #expect(try await client.call(.post, body: oneShotBody()).head.status == .unauthorized)
        #expect(renewals.number == 0)
        #expect(try await client.call(.post, body: oneShotBody()).head.status == .ok)
        #expect(renewals.number == 1)
        #expect(transport.requests.count == 2)
    }

    @Test func getsTheFirstTokenBeforeTheFirstRequest() async throws {
        let transport = Self.server()
        let renewals = Renewals()
        let client = makeClient(transport, BearerAuthMiddleware(renewals.store(initial: nil)))
        #expect(try await client.call().head.status == .ok)
        #expect(transport.requests.count == 1)
        #expect(renewals.number == 1)
    }

    // MARK: Expiry

    @Test func renewsAheadOfTheExpiry() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport()
        let renewals = Renewals()
        let store = renewals.store(expiry: clock.date.addingTimeInterval(100), renewAhead: .seconds(30))
        let client = makeClient(transport, BearerAuthMiddleware(store), clock: clock)
        _ = try await client.call()
        clock.advance(by: .seconds(69))
        _ = try await client.call()
        #expect(renewals.number == 0)
        clock.advance(by: .seconds(1))
        _ = try await client.call()
        #expect(renewals.number == 1)
        #expect(transport.requests.map { $0["authorization"] } == [Self.old, Self.old, Self.fresh])
    }

    @Test func goesOnWithTheOldTokenWhenTheRenewalAheadFails() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport()
        let renewals = Renewals()
        let store = renewals.store(expiry: clock.date.addingTimeInterval(20), renewAhead: .seconds(30)) { _ in
            throw TestError()
        }
        let client = makeClient(transport, BearerAuthMiddleware(store), clock: clock)
        _ = try await client.call()
        _ = try await client.call()
        #expect(renewals.number == 1)
        clock.advance(by: .seconds(20))
        await #expect(throws: TestError()) { _ = try await client.call() }
        #expect(transport.requests.count == 2)
    }

    @Test func aSourceThatIsCancelledByItselfFailsLikeAnyOther() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport()
        let renewals = Renewals()
        let store = renewals.store(expiry: clock.date.addingTimeInterval(20), renewAhead: .seconds(30)) { _ in
            throw CancellationError()
        }
        let client = makeClient(transport, BearerAuthMiddleware(store), clock: clock)
        _ = try await client.call()
        _ = try await client.call()
        #expect(renewals.number == 1)
        clock.advance(by: .seconds(20))
        await #expect("nobody has cancelled the call") {
            _ = try await client.call()
        } throws: {
            isFailure($0, .internalFailure)
        }
        #expect(transport.requests.count == 2)
    }

    @Test func renewsAShortLivedTokenAtHalfOfItsLifeAtTheEarliest() async throws {
        let clock = VirtualClock()
        let renewals = Renewals()
        let store = renewals.store(expiry: clock.date, renewAhead: .seconds(60)) { _ in
            Credential(token: Secret.freshToken, expiry: clock.date.addingTimeInterval(30))
        }
        let client = makeClient(ScriptedTransport(), BearerAuthMiddleware(store), clock: clock)
        var numbers: [Int] = []
        for _ in 0..<5 {
            _ = try await client.call()
            numbers.append(renewals.number)
            clock.advance(by: .seconds(5))
        }
        #expect(numbers == [1, 1, 1, 2, 2])
    }

    // MARK: Concurrency

    @Test func aThousandRefusalsMakeOneRenewal() async throws {
        let gate = Gate(opensAfter: 1000)
        let transport = Self.server { request in
            if request["authorization"] == Self.old { await gate.pass() }
        }
        let renewals = Renewals()
        let client = makeClient(transport, BearerAuthMiddleware(renewals.store()))
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<1000 { group.addTask { try? await client.call().head.status.code } }
            for await status in group { #expect(status == 200) }
        }
        #expect(renewals.number == 1)
        #expect(transport.requests.count == 2000)
    }

    @Test func aLateRefusalOfAnOldTokenRenewsNothing() async throws {
        let late = Gate()
        let transport = Self.server { request in
            if request["authorization"] == Self.old, request.path == "/late" { await late.pass() }
        }
        let renewals = Renewals()
        let client = makeClient(transport, BearerAuthMiddleware(renewals.store()))
        async let slow = client.call(.get, "/late").head.status
        await late.waitForArrivals(1)
        #expect(try await client.call().head.status == .ok)
        await late.open()
        #expect(try await slow == .ok)
        #expect(renewals.number == 1)
    }

    @Test func cancellingTheCallThatBeganTheRenewalCancelsNobodyElse() async throws {
        let gate = Gate()
        let renewals = Renewals()
        let store = renewals.store { _ in
            await gate.pass()
            return Credential(token: Secret.freshToken)
        }
        let client = makeClient(Self.server(), BearerAuthMiddleware(store))
        let first = Task { try await client.call().head.status }
        await gate.waitForArrivals(1)
        let others = (0..<50).map { _ in Task { try await client.call().head.status } }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await gate.open()
        for other in others { #expect(try await other.value == .ok) }
        #expect(renewals.number == 1)
    }

    @Test func cancellingAWaiterEndsItAtOnce() async throws {
        let gate = Gate()
        let renewals = Renewals()
        let store = renewals.store { _ in
            await gate.pass()
            return Credential(token: Secret.freshToken)
        }
        let client = makeClient(Self.server(), BearerAuthMiddleware(store))
        let first = Task { try await client.call().head.status }
        await gate.waitForArrivals(1)
        let waiter = Task { try await client.call().head.status }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        await gate.open()
        #expect(try await first.value == .ok)
        #expect(renewals.number == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func waitsForARenewalNoLongerThanTheDeadlineOfTheCall() async throws {
        let gate = Gate()
        let renewals = Renewals()
        let store = renewals.store { _ in
            await gate.pass()
            return Credential(token: Secret.freshToken)
        }
        let client = makeClient(Self.server(), BearerAuthMiddleware(store))
        for deadline in [Duration.milliseconds(20), .nanoseconds(1)] {
            await #expect {
                _ = try await client.call { $0.timeouts.deadline = deadline }
            } throws: { error in
                (error as? NetworkClientError)?.timeout == .deadline
            }
        }
        await gate.open()
        #expect(try await client.call { $0.timeouts.deadline = .seconds(3600) }.head.status == .ok)
        #expect(renewals.number == 1)
    }

    @Test func aFailedRenewalIsOneAttemptAndOneErrorForAll() async throws {
        let gate = Gate(opensAfter: 200)
        let renewals = Renewals()
        let clock = VirtualClock()
        let client = makeClient(
            Self.server { _ in await gate.pass() },
            BearerAuthMiddleware(renewals.store { _ in throw TestError(name: "revoked") }), clock: clock)
        await withTaskGroup(of: (any Error)?.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    do {
                        _ = try await client.call()
                        return nil
                    } catch { return error }
                }
            }
            for await error in group { #expect(error as? TestError == TestError(name: "revoked")) }
        }
        #expect(renewals.number == 1)
    }

    @Test func failuresAreRememberedLongerEachTime() async throws {
        let clock = VirtualClock()
        let renewals = Renewals()
        let client = makeClient(
            Self.server(), BearerAuthMiddleware(renewals.store { _ in throw TestError() }), clock: clock)
        var tried: [Int] = []
        for _ in 0..<16 {
            await #expect(throws: TestError()) { _ = try await client.call() }
            tried.append(renewals.number)
            clock.advance(by: .seconds(1))
        }
        #expect(tried == [1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5])
    }

    @Test func aReplacedCredentialEndsTheMemoryOfFailures() async throws {
        let renewals = Renewals()
        let store = renewals.store { _ in throw TestError() }
        let client = makeClient(Self.server(), BearerAuthMiddleware(store))
        await #expect(throws: TestError()) { _ = try await client.call() }
        store.replace(with: Credential(token: Secret.freshToken))
        #expect(try await client.call().head.status == .ok)
        store.replace(with: nil)
        await #expect(throws: TestError()) { _ = try await client.call() }
        #expect(renewals.number == 2)
    }

    @Test func aRenewalDoesNotUndoALogin() async throws {
        let gate = Gate()
        let renewals = Renewals()
        let store = renewals.store { _ in
            await gate.pass()
            return Credential(token: "of the old account")
        }
        let client = makeClient(Self.server(), BearerAuthMiddleware(store))
        let call = Task { try await client.call().head.status }
        await gate.waitForArrivals(1)
        store.replace(with: Credential(token: Secret.freshToken))
        await gate.open()
        #expect(try await call.value == .ok)
        #expect(store.credential?.token == Secret.freshToken)
    }

    @Test func aRefreshByTheSameClientDoesNotWaitForItself() async throws {
        let transport = ScriptedTransport { request in
            if request.path == "/token" { return .text(Secret.freshToken) }
            return .status(request["authorization"] == Self.fresh ? 200 : 401)
        }
        let clientBox = Mutex<NetworkClient?>(nil)
        let store = CredentialStore(Credential(token: Secret.token)) { _ in
            let client = try #require(clientBox.withLock { $0 })
            let response = try await client.call(.post, "/token") { $0.isAuthenticationExempt = true }
            return Credential(token: String(decoding: try await response.body.collect(), as: UTF8.self))
        }
        let client = makeClient(transport, BearerAuthMiddleware(store))
        clientBox.withLock { $0 = client }
        #expect(try await client.call().head.status == .ok)
        #expect(transport.requests.map { $0["authorization"] } == [Self.old, nil, Self.fresh])
    }

    @Test(.timeLimit(.minutes(1))) func aRefreshThatForgetsToBeExemptDoesNotWaitForItself() async throws {
        let transport = ScriptedTransport { request in
            if request.path == "/token" { return .text(Secret.freshToken) }
            return .status(request["authorization"] == Self.fresh ? 200 : 401)
        }
        let clientBox = Mutex<NetworkClient?>(nil)
        let store = CredentialStore(Credential(token: Secret.token)) { _ in
            let client = try #require(clientBox.withLock { $0 })
            let request = NetworkRequest<VoidRequest, String>(path: "token", method: .post)
            return Credential(token: try await client.run(request).value)
        }
        let client = makeClient(transport, BearerAuthMiddleware(store))
        clientBox.withLock { $0 = client }
        #expect(try await client.call().head.status == .ok)
        #expect(transport.requests.map { $0["authorization"] } == [Self.old, nil, Self.fresh])
    }

    @Test(.timeLimit(.minutes(1))) func twoStoresThatNeedEachOtherDoNotWaitForThemselves() async throws {
        let transport = ScriptedTransport { $0.path == "/token" ? .text(Secret.freshToken) : .status(200) }
        let clientBox = Mutex<NetworkClient?>(nil)
        let askClient: @Sendable (Credential?) async throws -> Credential = { _ in
            let client = try #require(clientBox.withLock { $0 })
            let request = NetworkRequest<VoidRequest, String>(path: "token", method: .post)
            return Credential(token: try await client.run(request).value)
        }
        let (outer, inner) = (CredentialStore(refresh: askClient), CredentialStore(refresh: askClient))
        let client = makeClient(transport, BearerAuthMiddleware(outer), BearerAuthMiddleware(inner))
        clientBox.withLock { $0 = client }
        #expect(try await client.call().head.status == .ok)
        #expect(outer.credential?.token == Secret.freshToken)
    }

    @Test(.timeLimit(.minutes(1))) func tasksThatOutliveTheRenewalAreSigned() async throws {
        final class Later: Sendable {
            let gate = Gate()
            let client = Mutex<NetworkClient?>(nil)
            let task = Mutex<Task<Void, any Error>?>(nil)

            func begin() {
                let work = Task {
                    await gate.pass()
                    _ = try await client.withLock { $0 }?.call(.get, "/later")
                }
                task.withLock { $0 = work }
            }
        }
        let (transport, later) = (ScriptedTransport(), Later())
        let store = CredentialStore { _ in
            later.begin()
            return Credential(token: Secret.freshToken)
        }
        let client = makeClient(transport, BearerAuthMiddleware(store))
        later.client.withLock { $0 = client }
        _ = try await client.call()
        await later.gate.open()
        try await later.task.withLock { $0 }?.value
        #expect(transport.requests.map { $0["authorization"] } == [Self.fresh, Self.fresh])
    }

    @Test func aRequestThatIsRefusedWhileSomebodyLogsOutGoesOutAsItIs() async throws {
        let transport = ScriptedTransport(.text("who are you?", status: 401))
        let box = Mutex<CredentialStore?>(nil)
        let store = CredentialStore(Credential(token: Secret.token)) { _ in
            box.withLock { $0 }?.replace(with: nil)
            throw TestError()
        }
        box.withLock { $0 = store }
        let response = try await makeClient(transport, BearerAuthMiddleware(store)).call()
        #expect(transport.requests.map { $0["authorization"] } == [Self.old, nil])
        #expect(try await response.body.collect() == Data("who are you?".utf8))
    }

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
        #expect(transport.requests.map { $0["authorization"] } == [nil, Self.fresh])
    }

    @Test(.timeLimit(.minutes(1)))
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

    @Test(.timeLimit(.minutes(1)), arguments: [nil, Duration.seconds(3600)])
    func cancellingTheCallCancelsTheProvider(deadline: Duration?) async throws {
        let begun = Gate(opensAfter: 1)
        let ended = Gate(opensAfter: 1)
        let auth = BearerAuthMiddleware {
            await begun.pass()
            // Ends with the task alone.
            try? await Task.sleep(for: .seconds(86_400))
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

    @Test func tellsOfRenewedCredentials() async throws {
        struct Source: CredentialSource {
            func credential(replacing previous: Credential?) async throws -> Credential {
                Credential(token: Secret.freshToken, refreshToken: Secret.refreshToken)
            }
        }
        let told = Mutex<[Credential]>([])
        let store = CredentialStore(Credential(token: Secret.token), source: Source()) { new in
            told.withLock { $0.append(new) }
        }
        _ = try await makeClient(Self.server(), BearerAuthMiddleware(store)).call()
        #expect(told.withLock { $0.map(\.refreshToken) } == [Secret.refreshToken])
    }

    @Test func aCredentialShowsNoSecret() {
        let credential = Credential(token: Secret.token, expiry: .now, refreshToken: Secret.refreshToken)
        var dumped = ""
        dump(credential, to: &dumped)
        Leaks.check("\(credential) \(String(reflecting: credential)) \([credential]) \(dumped)", "a credential")
    }
}
