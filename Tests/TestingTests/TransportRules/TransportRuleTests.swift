// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Synchronization
import Testing

@testable import StrataTesting

struct TransportRuleTests {
    /// Blocks the thread that it is called on until it has been called as often as that.
    private final class Meeting: NetworkTransport {
        let capabilities = TransportCapabilities(name: "meeting")
        private let count: Int
        private let arrived = Mutex(0)
        private let everybody = DispatchSemaphore(value: 0)

        init(of count: Int) {
            self.count = count
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard isMet() else { throw RuleViolation("the others did not come") }
            return TransportResponse(head: HTTPResponse(status: .ok))
        }

        private func isMet() -> Bool {
            let isLast = arrived.withLock { arrived in
                arrived += 1
                return arrived == count
            }
            if isLast { for _ in 0..<count { everybody.signal() } }
            return everybody.wait(timeout: .now() + 60) == .success
        }
    }

    @Test func aCheckThatIsCancelledIsNoViolation() async throws {
        let rule = TransportRule("it answers", source: "test") { bench in
            _ = try await bench.transport.send(TransportRequest(url: "https://h/"))
        }
        let check = Task { try await rule.check(ScriptedTransport(.silence)) }
        check.cancel()
        await #expect(throws: CancellationError.self) { try await check.value }
    }

    @Test func aCancellationThatNobodyAskedForIsAViolation() async {
        let rule = TransportRule("it ends", source: "test") { _ in throw CancellationError() }
        await #expect(throws: RuleViolation.self) { try await rule.check(ScriptedTransport()) }
    }

    @Test func checksOfATransportThatBlocksItsThreadGoOnBesideEachOther() async throws {
        let count = ProcessInfo.processInfo.activeProcessorCount + 2
        let transport = Meeting(of: count)
        let rule = TransportRule("it answers", source: "test") { bench in
            _ = try await bench.transport.send(TransportRequest(url: "https://h/"))
        }
        try await withThrowingTaskGroup { group in
            // Not where the other tests run: these would meet late.
            for _ in 0..<count {
                group.addTask(executorPreference: ThreadExecutor.shared) { try await rule.check(transport) }
            }
            for try await outcome in group { #expect(outcome == .kept) }
        }
    }
}
