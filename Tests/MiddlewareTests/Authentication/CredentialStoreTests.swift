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

struct CredentialStoreTests {
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
        #expect(transport.requests.map { $0["authorization"] } == [Bearer.old, Bearer.old, Bearer.fresh])
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

    @Test(arguments: [nil, Duration.seconds(5)])
    func aProviderThatIsCancelledByItselfFailsLikeAnyOther(_ deadline: Duration?) async throws {
        let transport = ScriptedTransport()
        let client = makeClient(transport, BearerAuthMiddleware { throw CancellationError() })
        await #expect("nobody has cancelled the call") {
            _ = try await client.call { $0.timeouts.deadline = deadline }
        } throws: {
            isFailure($0, .internalFailure)
        }
        #expect(transport.requests.isEmpty)
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
        let transport = Bearer.server { request in
            if request["authorization"] == Bearer.old { await gate.pass() }
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
        let transport = Bearer.server { request in
            if request["authorization"] == Bearer.old, request.path == "/late" { await late.pass() }
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
        let client = makeClient(Bearer.server(), BearerAuthMiddleware(renewals.store(behind: gate)))
        let first = Task { try await client.call().head.status }
        await gate.waitForArrivals(1)
        let others = (0..<50).map { _ in Task { try await client.call().head.status } }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await gate.open()
        for other in others { #expect(try await other.value == .ok) }
        #expect(renewals.number == 1)
    }

    @Test func aCancelledCallBeginsNoRenewal() async {
        let transport = Bearer.server()
        let renewals = Renewals()
        let client = makeClient(transport, BearerAuthMiddleware(renewals.store(initial: nil)))
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await client.call()
        }
        await #expect(throws: CancellationError.self) { try await call.value }
        for _ in 0..<100 { await Task.yield() }
        #expect(renewals.number == 0)
        #expect(transport.requests.isEmpty)
    }

    @Test func cancellingAWaiterEndsItAtOnce() async throws {
        let gate = Gate()
        let renewals = Renewals()
        let client = makeClient(Bearer.server(), BearerAuthMiddleware(renewals.store(behind: gate)))
        let first = Task { try await client.call().head.status }
        await gate.waitForArrivals(1)
        let waiter = Task { try await client.call().head.status }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        await gate.open()
        #expect(try await first.value == .ok)
        #expect(renewals.number == 1)
    }

    @Test(.timeLimit(.minutes(10)))
    func waitsForARenewalNoLongerThanTheDeadlineOfTheCall() async throws {
        let gate = Gate()
        let renewals = Renewals()
        let client = makeClient(Bearer.server(), BearerAuthMiddleware(renewals.store(behind: gate)))
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
            Bearer.server { _ in await gate.pass() },
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
            Bearer.server(), BearerAuthMiddleware(renewals.store { _ in throw TestError() }), clock: clock)
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
        let client = makeClient(Bearer.server(), BearerAuthMiddleware(store))
        await #expect(throws: TestError()) { _ = try await client.call() }
        try await store.replace(with: Credential(token: Secret.freshToken))
        #expect(try await client.call().head.status == .ok)
        try await store.replace(with: nil)
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
        let client = makeClient(Bearer.server(), BearerAuthMiddleware(store))
        let call = Task { try await client.call().head.status }
        await gate.waitForArrivals(1)
        try await store.replace(with: Credential(token: Secret.freshToken))
        await gate.open()
        #expect(try await call.value == .ok)
        #expect(store.credential?.token == Secret.freshToken)
    }

    @Test(.timeLimit(.minutes(10))) func callsThatWaitForARenewalGoOnWithALogin() async throws {
        let gate = Gate()
        let store = Renewals().store(behind: gate)
        let client = makeClient(Bearer.server(), BearerAuthMiddleware(store))
        let call = Task { try await client.call().head.status }
        await gate.waitForArrivals(1)
        try await store.replace(with: Credential(token: Secret.freshToken))
        #expect(try await call.value == .ok)
        await gate.open()
    }

    /// Also when it happens while the app is told of what was renewed.
    @Test(.timeLimit(.minutes(10))) func aLoginWhileARenewalIsKeptCounts() async throws {
        let box = Mutex<CredentialStore?>(nil)
        let store = CredentialStore(
            source: Renewing(token: Secret.token),
            onRenewal: { _ in
                try await box.withLock { $0 }?.replace(with: Credential(token: Secret.freshToken))
            })
        box.withLock { $0 = store }
        let transport = Bearer.server()
        #expect(try await makeClient(transport, BearerAuthMiddleware(store)).call().head.status == .ok)
        #expect(transport.requests.map { $0["authorization"] } == [Bearer.fresh])
    }

    private struct Renewing: CredentialSource {
        let token: String
        func credential(replacing previous: Credential?) async throws -> Credential { Credential(token: token) }
    }

    @Test func aRefreshByTheSameClientDoesNotWaitForItself() async throws {
        let transport = ScriptedTransport { request in
            if request.path == "/token" { return .text(Secret.freshToken) }
            return .status(request["authorization"] == Bearer.fresh ? 200 : 401)
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
        #expect(transport.requests.map { $0["authorization"] } == [Bearer.old, nil, Bearer.fresh])
    }

    @Test(.timeLimit(.minutes(10))) func aRefreshThatForgetsToBeExemptDoesNotWaitForItself() async throws {
        let transport = ScriptedTransport { request in
            if request.path == "/token" { return .text(Secret.freshToken) }
            return .status(request["authorization"] == Bearer.fresh ? 200 : 401)
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
        #expect(transport.requests.map { $0["authorization"] } == [Bearer.old, nil, Bearer.fresh])
    }

    @Test(.timeLimit(.minutes(10))) func twoStoresThatNeedEachOtherDoNotWaitForThemselves() async throws {
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

    @Test(.timeLimit(.minutes(10))) func tasksThatOutliveTheRenewalAreSigned() async throws {
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
        #expect(transport.requests.map { $0["authorization"] } == [Bearer.fresh, Bearer.fresh])
    }

    // MARK: Credentials

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
        _ = try await makeClient(Bearer.server(), BearerAuthMiddleware(store)).call()
        #expect(told.withLock { $0.map(\.refreshToken) } == [Secret.refreshToken])
    }

    @Test func aCredentialShowsNoSecret() {
        let credential = Credential(token: Secret.token, expiry: .now, refreshToken: Secret.refreshToken)
        var dumped = ""
        dump(credential, to: &dumped)
        Leaks.check("\(credential) \(String(reflecting: credential)) \([credential]) \(dumped)", "a credential")
    }

    /// An error that asks the store at its end, which would wait for itself under the store's lock.
    private final class Parting: Error, Sendable {
        let store: CredentialStore
        init(_ store: CredentialStore) { self.store = store }
        deinit { _ = store.credential }
    }

    @Test func errorsOfTheSourceEndOutsideOfTheLock() async throws {
        let holder = Mutex<CredentialStore?>(nil)
        let store = CredentialStore(failureInterval: .zero) { _ in
            throw try #require(holder.withLock { $0.map(Parting.init) })
        }
        holder.withLock { $0 = store }
        let client = makeClient(ScriptedTransport(), BearerAuthMiddleware(store))
        for _ in 0..<2 { await #expect(throws: Parting.self) { _ = try await client.call() } }
        try await store.replace(with: nil)
        holder.withLock { $0 = nil }
        #expect(store.credential == nil)
    }
}
