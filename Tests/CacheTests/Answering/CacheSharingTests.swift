// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCache
import StrataCore
import StrataTesting
import Synchronization
import TestSupport
import Testing

/// Calls for the same thing at the same time.
@Suite(.timeLimit(.minutes(10)))
struct CacheSharingTests {
    /// A server that answers when it is let.
    private final class HeldServer: Sendable {
        private let release = SharedResult<Void>()
        let transport: ScriptedTransport

        init(_ reply: @escaping @Sendable (RecordedRequest) throws -> ScriptedReply) {
            let release = release
            transport = ScriptedTransport { request in
                try await release.value()
                return try reply(request)
            }
        }

        func answer() { release.finish(.success(())) }
    }

    /// Counts the calls that have begun.
    private final class Calls: Sendable {
        private let state = Mutex(0)

        var count: Int { state.withLock { $0 } }

        func add() { state.withLock { $0 += 1 } }
    }

    private func sharing(_ transport: ScriptedTransport, store: MemoryStore = MemoryStore()) -> CacheClient {
        CacheClient(transport, store: store) { $0.collapsesRequests = true }
    }

    private func call(_ cache: CacheClient, _ count: Int, whenSent answer: () -> Void) async throws -> [CacheClient
        .Answer]
    {
        let begun = Calls()
        return try await withThrowingTaskGroup(of: CacheClient.Answer.self) { group in
            for _ in 0..<count {
                group.addTask {
                    begun.add()
                    return try await cache.call()
                }
            }
            await eventually { cache.sent >= 1 && begun.count == count }
            for _ in 0..<200 { await Task.yield() }
            answer()
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(arguments: ["max-age=60", "no-cache", "max-age=0"])
    func oneExchangeServesThemAll(control: String) async throws {
        let server = HeldServer { .text("#\($0.number)", fields: [.cacheControl: control, .eTag: "\"a\""]) }
        let answers = try await call(sharing(server.transport), 50, whenSent: server.answer)
        #expect(Set(answers.map(\.body)) == ["#0"])
        #expect(server.transport.requests.count == 1)
        let served = answers.map(\.served)
        #expect(served.count { $0 == .network } == 1)
        // One that came late may have found it stored.
        #expect(served.allSatisfy { [.network, .cache(.collapsed), .cache(.hit)].contains($0) })
    }

    @Test func withoutTheOptionEachMakesItsOwn() async throws {
        let server = HeldServer { .text("#\($0.number)", fields: [.cacheControl: "no-cache", .eTag: "\"a\""]) }
        _ = try await call(CacheClient(server.transport), 5, whenSent: server.answer)
        #expect(server.transport.requests.count == 5)
    }

    @Test func whatMayNotBeStoredIsNotShared() async throws {
        let server = HeldServer { .text("#\($0.number)", fields: [.cacheControl: "no-store"]) }
        let answers = try await call(sharing(server.transport), 5, whenSent: server.answer)
        #expect(Set(answers.map(\.body)).count == 5)
    }

    @Test func aFailureIsNotShared() async throws {
        let server = HeldServer { request in
            if request.number == 0 { throw NetworkClientError(.connectionLost, "lost") }
            return .text("ok", fields: [.cacheControl: "max-age=60"])
        }
        let cache = sharing(server.transport)
        let results = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<5 { group.addTask { try? await cache.call().body } }
            await eventually { cache.sent >= 1 }
            server.answer()
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(results.count { $0 == nil } == 1)
    }

    @Test func whenTheFirstIsCancelledAnotherGoesOn() async throws {
        let server = HeldServer { .text("#\($0.number)", fields: [.cacheControl: "max-age=60"]) }
        let cache = sharing(server.transport)
        let first = Task { try await cache.call().body }
        await eventually { cache.sent == 1 }
        let second = Task { try await cache.call().body }
        for _ in 0..<200 { await Task.yield() }
        first.cancel()
        await eventually { cache.sent == 2 }
        server.answer()
        #expect(try await second.value == "#1")
        await #expect(throws: CancellationError.self) { try await first.value }
    }

    /// Those who have waited share the next exchange, wherever the first one was when it was given up.
    @Test(arguments: [true, false])
    func whenTheFirstIsCancelledTheOthersShareTheNext(inBody: Bool) async throws {
        let transport = ScriptedTransport { request in
            if request.number > 0 { return .text("#\(request.number)", fields: [.cacheControl: "max-age=60"]) }
            if !inBody { try await untilCancelled() }
            return .source(fields: [.cacheControl: "max-age=60"]) { HangingSource() }
        }
        let cache = sharing(transport)
        let first = Task { try await cache.call().body }
        await eventually { cache.sent == 1 }
        let waiting = (0..<20).map { _ in Task { try await cache.call().body } }
        for _ in 0..<500 { await Task.yield() }
        first.cancel()
        for task in waiting { #expect(try await task.value == "#1") }
        #expect(cache.sent == 2)
        await #expect(throws: CancellationError.self) { try await first.value }
    }

    @Test func aWaiterKeepsItsDeadlineAndMayLeave() async throws {
        let server = HeldServer { .text("#\($0.number)", fields: [.cacheControl: "max-age=60"]) }
        let cache = sharing(server.transport)
        let first = Task { try await cache.call().body }
        await eventually { cache.sent == 1 }
        await #expect { try await cache.call { $0.timeouts.deadline = .milliseconds(1) } } throws: { error in
            (error as? NetworkClientError)?.timeout == .deadline
        }
        let second = Task { try await cache.call().body }
        for _ in 0..<200 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        server.answer()
        #expect(try await first.value == "#0")
    }

    /// Who has changed something sees the change: what was asked for before is neither stored nor shared.
    @Test(arguments: [true, false], [true, false])
    func whatWasAskedForBeforeAChangeIsForItsCallersAlone(collapses: Bool, isStream: Bool) async throws {
        let release = SharedResult<Void>()
        let transport = ScriptedTransport { request in
            if request.head.method == .put { return .status(204) }
            let body = Data((request.number == 0 ? "before" : "after").utf8)
            if request.number == 0 { try await release.value() }
            let fields: HTTPFields = [.cacheControl: "max-age=60"]
            return isStream ? .pieces([body], fields: fields) : .status(200, fields: fields, body: body)
        }
        let cache = CacheClient(transport) { $0.collapsesRequests = collapses }
        let early = Task { try await cache.call().body }
        await eventually { cache.sent == 1 }
        try await cache.call(.put, body: .data(Data("x".utf8)))
        #expect(try await cache.call().body == "after")
        release.finish(.success(()))
        #expect(try await early.value == "before")
        #expect(try await cache.call().body == "after")
    }

    @Test func otherVariantsAreFetched() async throws {
        let server = HeldServer { .text($0["accept"] ?? "", fields: [.cacheControl: "max-age=60", .vary: "Accept"]) }
        let cache = sharing(server.transport)
        let first = Task { try await cache.call(fields: [.accept: "a"]).body }
        await eventually { cache.sent == 1 }
        let second = Task { try await cache.call(fields: [.accept: "b"]).body }
        for _ in 0..<200 { await Task.yield() }
        server.answer()
        #expect(try await [first.value, second.value] == ["a", "b"])
    }

    @Test func aBodyTooLargeToStoreIsHandedOutWhole() async throws {
        let pieces = (0..<10).map { Data("piece \($0);".utf8) }
        let whole = String(decoding: pieces.reduce(Data(), +), as: UTF8.self)
        let transport = ScriptedTransport(.pieces(pieces, fields: [.cacheControl: "max-age=60"]))
        let cache = CacheClient(transport) {
            $0.collapsesRequests = true
            $0.maximumBodyBytes = 20
        }
        #expect(try await cache.call().body == whole)
        #expect(try await cache.call().body == whole)
        #expect(cache.sent == 2)
    }

    @Test func aBodyThatBreaksOffDoesSoForItsReaderBehindWhatCame() async throws {
        let pieces = [Data("a".utf8), Data("b".utf8)]
        let failure = NetworkClientError(.connectionLost, "lost")
        let cache = sharing(ScriptedTransport(.pieces(pieces, fields: [.cacheControl: "max-age=60"], failure: failure)))
        let response = try await cache.client.execute(TransportRequest(url: "https://api.example/x"))
        var read: [Data] = []
        await #expect { for try await piece in response.body { read.append(piece) } } throws: {
            isFailure($0, .connectionLost)
        }
        #expect(read == pieces)
    }
}
