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

/// A login that outlives the process, and its end.
struct CredentialStorageTests {
    private let folder: TemporaryFolder
    private let file: URL
    private let clock = VirtualClock()

    init() throws {
        folder = try TemporaryFolder()
        file = folder["login"]
    }

    /// An authorization server that takes each refresh token once, as servers that rotate them do.
    private final class RotatingServer: CredentialSource {
        private struct State {
            var valid: Int
            var number = 0
        }

        private let state: Mutex<State>
        private let expiry: Date?

        init(valid: Int = 0, expiry: Date? = nil) {
            state = Mutex(State(valid: valid))
            self.expiry = expiry
        }

        var number: Int { state.withLock(\.number) }

        static func credential(_ number: Int, expiry: Date? = nil) -> Credential {
            Credential(token: "\(Leaks.mark)-\(number)", expiry: expiry, refreshToken: "\(Leaks.mark)-r\(number)")
        }

        func credential(replacing previous: Credential?) async throws -> Credential {
            // Another has time to come in between.
            for _ in 0..<10 { await Task.yield() }
            return try state.withLock { state in
                state.number += 1
                guard previous?.refreshToken == "\(Leaks.mark)-r\(state.valid)" else { throw Refused() }
                state.valid += 1
                return Self.credential(state.valid, expiry: expiry)
            }
        }

        /// A resource that takes the newest token alone.
        func resource() -> ScriptedTransport {
            ScriptedTransport { [self] request in
                let newest = state.withLock { "Bearer \(Leaks.mark)-\($0.valid)" }
                return .status(request["authorization"] == newest ? 200 : 401)
            }
        }
    }

    private struct Refused: SessionRefusal {
        let refusesSession = true
    }

    /// A storage that refuses to save when it is told to, and counts.
    private final class TestStorage: TokenStore {
        private struct State {
            var content: Data?
            var failures = 0
            var saves = 0
        }

        private let state: Mutex<State>

        init(_ credential: Credential?, failures: Int = 0) throws {
            let content = try credential.map { try JSONEncoder().encode($0) }
            state = Mutex(State(content: content, failures: failures))
        }

        var saves: Int { state.withLock(\.saves) }

        func load() -> Data? { state.withLock(\.content) }

        func save(_ token: Data?) throws {
            try state.withLock { state in
                state.saves += 1
                guard state.failures == 0 else {
                    state.failures -= 1
                    throw TestError(name: "disk full")
                }
                state.content = token
            }
        }

        var credential: Credential? { get async throws { try await load(as: Credential.self) } }
    }

    private func client(_ store: CredentialStore, _ transport: ScriptedTransport) -> NetworkClient {
        makeClient(transport, BearerAuthMiddleware(store), clock: clock)
    }

    private func store(_ server: RotatingServer) -> CredentialStore {
        // Among all tests at once a turn may take longer than a user would wait.
        CredentialStore(storage: FileTokenStore(file, patience: .seconds(3600)), source: server)
    }

    // MARK: Keeping

    @Test func aCredentialIsCodable() throws {
        let credential = Credential(token: "a", expiry: clock.date, refreshToken: "b")
        #expect(try JSONDecoder().decode(Credential.self, from: JSONEncoder().encode(credential)) == credential)
    }

    @Test func aLoginOutlivesTheProcess() async throws {
        let server = RotatingServer()
        try await store(server).replace(with: RotatingServer.credential(0))
        for expected in 0..<3 {
            // A new process has a new store.
            let store = store(server)
            #expect(try await store.load() == RotatingServer.credential(expected))
            #expect(try await client(store, server.resource()).call().head.status == .ok)
            await #expect(throws: Never.self) {
                // The token is refused from now on.
                _ = try await server.credential(replacing: RotatingServer.credential(expected))
            }
            try await FileTokenStore(file).save(json: RotatingServer.credential(expected + 1))
        }
    }

    @Test func aRenewedCredentialIsSavedBeforeItIsUsed() async throws {
        let storage = try TestStorage(RotatingServer.credential(0, expiry: clock.date))
        let server = RotatingServer()
        let transport = ScriptedTransport { request in
            let stored = try await storage.credential
            return .status(request["authorization"] == stored.map { "Bearer \($0.token)" } ? 200 : 500)
        }
        let store = CredentialStore(storage: storage, source: server)
        #expect(try await client(store, transport).call().head.status == .ok)
        #expect(try await storage.credential == RotatingServer.credential(1))
    }

    @Test func aCredentialThatCannotBeSavedIsNotLost() async throws {
        let storage = try TestStorage(RotatingServer.credential(0, expiry: clock.date), failures: 2)
        let server = RotatingServer()
        let transport = server.resource()
        let client = client(CredentialStore(storage: storage, failureInterval: .zero, source: server), transport)
        for _ in 0..<2 {
            await #expect(throws: TestError(name: "disk full")) { _ = try await client.call() }
        }
        #expect(transport.requests.isEmpty, "nothing is sent with a credential that may be lost")
        #expect(try await client.call().head.status == .ok)
        #expect(server.number == 1, "the server would refuse a second renewal")
        #expect(try await storage.credential == RotatingServer.credential(1))
    }

    @Test func onRenewalMayThrow() async throws {
        let failures = Mutex(1)
        let told = Mutex<[Credential]>([])
        let server = RotatingServer()
        let store = CredentialStore(
            RotatingServer.credential(0, expiry: clock.date), failureInterval: .zero, source: server,
            onRenewal: { credential in
                await Task.yield()
                told.withLock { $0.append(credential) }
                let fails = failures.withLock { left in
                    defer { left = 0 }
                    return left > 0
                }
                if fails { throw TestError() }
            })
        let client = client(store, server.resource())
        await #expect(throws: TestError()) { _ = try await client.call() }
        #expect(try await client.call().head.status == .ok)
        #expect(told.withLock { $0 } == Array(repeating: RotatingServer.credential(1), count: 2))
        #expect(server.number == 1)
    }

    @Test func aDamagedFileIsAnErrorAndIsLeftAsItIs() async throws {
        try Data("{".utf8).write(to: file)
        let store = store(RotatingServer())
        await #expect(throws: DecodingError.self) { try await store.load() }
        await #expect(throws: DecodingError.self) { _ = try await client(store, ScriptedTransport()).call() }
        #expect(try Data(contentsOf: file) == Data("{".utf8))
    }

    /// As two processes that share the file: each refresh token may be used once.
    @Test(arguments: 1...4) func storesThatShareAFileDoNotUseARefreshTokenTwice(_ round: Int) async throws {
        let server = RotatingServer()
        try await store(server).replace(with: RotatingServer.credential(0, expiry: clock.date))
        let stores = (0..<4).map { _ in store(server) }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for store in stores {
                group.addTask { [self] in try await client(store, server.resource()).call().head.status.code }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(server.number == 1)
        #expect(Set(stores.map(\.credential)) == [RotatingServer.credential(1)])
        // One renews; the others find out at their next refusal, and take what it has saved.
        for store in stores { #expect(try await client(store, server.resource()).call().head.status == .ok) }
        #expect(server.number == 1)
    }

    /// A keychain has no lock: two may use a refresh token at once, and one of them is refused.
    @Test func whoIsRefusedReadsWhatAnotherHasSaved() async throws {
        let storage = try TestStorage(RotatingServer.credential(0, expiry: clock.date))
        let other = RotatingServer.credential(1)
        let source = ClosureCredentialSource { _ in
            try await storage.save(json: other)
            throw Refused()
        }
        let store = CredentialStore(storage: storage, source: source)
        #expect(try await client(store, RotatingServer(valid: 1).resource()).call().head.status == .ok)
        #expect(store.credential == other)
    }

    // MARK: The end of a session

    @Test func aRefusedLoginIsTheEndOfTheSession() async throws {
        let server = RotatingServer(valid: 7)
        try await FileTokenStore(file).save(json: RotatingServer.credential(0, expiry: clock.date))
        let store = store(server)
        var ends = store.sessionEnds.makeAsyncIterator()
        let told = Mutex<[NetworkClientError.Code]>([])
        store.onSessionEnd { end in told.withLock { $0.append(end.code) } }
        let client = client(store, ScriptedTransport())
        for _ in 0..<3 {
            await #expect {
                _ = try await client.call()
            } throws: { error in
                Leaks.check("\(error) \(String(reflecting: error))", "an error")
                return isFailure(error, .signedOut) && (error as? NetworkClientError)?.cause is Refused
            }
        }
        #expect(server.number == 1, "nobody is asked once the session is over")
        #expect(await ends.next()?.cause is Refused)
        #expect(told.withLock { $0 } == [.signedOut])
        #expect(try FileTokenStore(file).load() == nil)
        // Signed in again.
        try await store.replace(with: RotatingServer.credential(7))
        #expect(try await client.call().head.status == .ok)
    }

    /// A source may say so itself. No other failure of it costs the stored credential.
    @Test(arguments: [NetworkClientError.Code.signedOut, .connectionLost, .unacceptableStatus])
    func aSourceCanEndTheSession(_ code: NetworkClientError.Code) async throws {
        let storage = try TestStorage(RotatingServer.credential(0, expiry: clock.date))
        let source = ClosureCredentialSource { _ in throw NetworkClientError(code, "by the source") }
        let store = CredentialStore(storage: storage, source: source)
        await #expect {
            _ = try await client(store, ScriptedTransport()).call()
        } throws: {
            isFailure($0, code) && "\($0)".contains("by the source")
        }
        #expect((storage.load() == nil) == (code == .signedOut))
    }

    @Test func signingOutSaysSo() async throws {
        let server = RotatingServer()
        let store = store(server)
        try await store.replace(with: RotatingServer.credential(0))
        var ends = store.sessionEnds.makeAsyncIterator()
        try await store.signOut()
        #expect(store.credential == nil)
        #expect(try FileTokenStore(file).load() == nil)
        #expect(await ends.next()?.code == .signedOut)
        await #expect {
            _ = try await client(store, server.resource()).call()
        } throws: {
            isFailure($0, .signedOut) && "\($0)".contains("signed out")
        }
        #expect(server.number == 0)
    }

    @Test(arguments: ["fixed", "provider"]) func everyKindOfStoreSignsOut(_ kind: String) async throws {
        let store = kind == "fixed" ? CredentialStore(token: Secret.token) : CredentialStore { Secret.token }
        let transport = ScriptedTransport()
        let client = client(store, transport)
        _ = try await client.call()
        try await store.signOut()
        await #expect { _ = try await client.call() } throws: { isFailure($0, .signedOut) }
        try await store.replace(with: Credential(token: Secret.token))
        _ = try await client.call()
        #expect(transport.requests.map { $0["authorization"] } == [Bearer.old, Bearer.old])
    }

    @Test(.timeLimit(.minutes(10))) func signingOutEndsARenewalUnderWay() async throws {
        let gate = Gate()
        let storage = try TestStorage(RotatingServer.credential(0, expiry: clock.date))
        let source = ClosureCredentialSource { _ in
            await gate.pass()
            return RotatingServer.credential(1)
        }
        let store = CredentialStore(storage: storage, source: source)
        let transport = ScriptedTransport()
        let client = client(store, transport)
        let call = Task { try await client.call() }
        await gate.waitForArrivals(1)
        let end = Task { try await store.signOut() }
        await #expect { _ = try await call.value } throws: { isFailure($0, .signedOut) }
        await gate.open()
        try await end.value
        #expect(try await storage.credential == nil, "what was renewed meanwhile is not kept")
        #expect(store.credential == nil)
        #expect(transport.requests.isEmpty)
    }

    @Test func anotherWhoSharesTheFileHasSignedOut() async throws {
        let server = RotatingServer()
        let (one, other) = (store(server), store(server))
        try await one.replace(with: RotatingServer.credential(0))
        try await other.load()
        try await one.signOut()
        let client = client(other, ScriptedTransport(.status(401)))
        await #expect { _ = try await client.call() } throws: { isFailure($0, .signedOut) }
        #expect(server.number == 0)
    }

    @Test func aLoginThatCannotBeSavedIsNone() async throws {
        let storage = try TestStorage(nil, failures: 1)
        let store = CredentialStore(storage: storage, source: RotatingServer())
        await #expect(throws: TestError(name: "disk full")) {
            try await store.replace(with: RotatingServer.credential(0))
        }
        #expect(store.credential == nil)
    }

    /// As an app does whose source lets a person sign in.
    @Test(.timeLimit(.minutes(10))) func aSourceMayReplaceTheCredentialOfItsStore() async throws {
        let box = Mutex<CredentialStore?>(nil)
        let source = ClosureCredentialSource { _ in
            try await box.withLock { $0 }?.replace(with: RotatingServer.credential(0))
            throw TestError()
        }
        let store = CredentialStore(storage: FileTokenStore(file), source: source)
        box.withLock { $0 = store }
        #expect(try await client(store, RotatingServer().resource()).call().head.status == .ok)
        #expect(try await FileTokenStore(file).load(as: Credential.self) == RotatingServer.credential(0))
    }
}
