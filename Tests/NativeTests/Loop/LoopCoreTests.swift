// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Synchronization
import Testing

@testable import StrataNative

/// What tasks ask of an engine that another thread has.
@Suite(.timeLimit(.minutes(10)))
struct LoopCoreTests {
    private final class Count: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }
        func add() { count.add(1, ordering: .relaxed) }
    }

    /// An exchange of which all has come, so that who reads it comes to an end.
    private static func makeExchange(_ loop: NativeLoop) throws -> Exchange {
        let request = try TransportRequest(url: "http://h.example/")
        let plan = try RequestPlan(request, decodesContent: false)
        let exchange = Exchange(request, plan: plan, proxies: nil, upload: nil, loop: loop)
        loop.run { _ in (exchange.end, exchange.isInputOver) = (.success(()), true) }
        return exchange
    }

    private static func makeLoop() -> NativeLoop {
        NativeLoop(Settings(NativeTransport.Configuration(), environment: { _ in nil }, lookup: nil))
    }

    /// - Returns: what gives the engine free again.
    private static func hold(_ loop: NativeLoop) async -> DispatchSemaphore {
        let mayLeave = DispatchSemaphore(value: 0)
        await withCheckedContinuation { isHeld in
            Thread.detachNewThread {
                loop.run { _ in
                    isHeld.resume()
                    mayLeave.wait()
                }
            }
        }
        return mayLeave
    }

    @Test(arguments: ["a body", "a socket"])
    func whoReadsFromABusyEngineHoldsNoThread(_ what: String) async throws {
        let loop = Self.makeLoop()
        let exchange = try Self.makeExchange(loop)
        let mayLeave = await Self.hold(loop)
        // Far more than the thread pool has threads.
        let asking = Count()
        let readers = (0..<256).map { _ in
            Task {
                asking.add()
                return try await what == "a body" ? BodyStream(exchange).next() : SwitchedConnection(exchange).read()
            }
        }
        while asking.value < readers.count { await Task.yield() }
        exchange.cancel()
        mayLeave.signal()
        for reader in readers { #expect(try await reader.value == nil) }
        #expect(loop.run { _ in exchange.isCancelled })
    }

    /// Gives one piece, when it may.
    private final class OnePiece: BodySource {
        private let isOpen = Atomic(false)
        private let asked = Atomic(false)
        let given = Count()
        private let cancelled: Count

        init(_ cancelled: Count) { self.cancelled = cancelled }

        var isAsked: Bool { asked.load(ordering: .relaxed) }

        func open() { isOpen.store(true, ordering: .relaxed) }

        func next() async throws -> Data? {
            asked.store(true, ordering: .relaxed)
            while !isOpen.load(ordering: .relaxed) { await Task.yield() }
            given.add()
            return Data("piece".utf8)
        }

        func cancel() { cancelled.add() }
    }

    /// The producers of bodies hand their pieces over, and are told when nothing more is wanted.
    @Test func whoSendsToABusyEngineHoldsNoThread() async throws {
        let (loop, cancelled) = (Self.makeLoop(), Count())
        let exchange = try Self.makeExchange(loop)
        let sources = (0..<64).map { _ in OnePiece(cancelled) }
        for source in sources { exchange.produce(Upload(length: nil, source: source)) }
        // Each has been taken from its upload, which asks the engine.
        while sources.contains(where: { !$0.isAsked }) { await Task.yield() }
        let mayLeave = await Self.hold(loop)
        for source in sources { source.open() }
        while sources.contains(where: { $0.given.value == 0 }) { await Task.yield() }
        mayLeave.signal()
        while cancelled.value < sources.count { await Task.yield() }
        #expect(sources.allSatisfy { $0.given.value == 1 })
    }
}
