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

    @Test(arguments: ["a body", "a socket"])
    func whoAsksABusyEngineHoldsNoThread(_ what: String) async throws {
        let loop = NativeLoop(Settings(NativeTransport.Configuration(), environment: { _ in nil }, lookup: nil))
        let exchange = try Self.makeExchange(loop)
        let mayLeave = DispatchSemaphore(value: 0)
        await withCheckedContinuation { isHeld in
            Thread.detachNewThread {
                loop.run { _ in
                    isHeld.resume()
                    mayLeave.wait()
                }
            }
        }
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
}
