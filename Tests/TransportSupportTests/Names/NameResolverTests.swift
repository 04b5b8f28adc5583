// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import StrataTransportSupport

struct NameResolverTests {
    /// Lookups that end when they are told to.
    private final class Gate: Sendable {
        private struct State {
            var asked: [String] = []
            var isOpen = false
            var waiters: [CheckedContinuation<Void, Never>] = []
        }
        private let state = Mutex(State())

        var asked: [String] { state.withLock { $0.asked } }

        /// Called in a thread of the resolver's.
        func lookUp(_ name: String) -> Result<[String], NameResolver.LookupFailure> {
            let waiters = state.withLock { state in
                state.asked.append(name)
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
            while !state.withLock({ $0.isOpen }) { pause() }
            return name.hasPrefix("no") ? .failure(.init(reason: "unknown")) : .success(["\(name) 1", "\(name) 2"])
        }

        private func pause() {
            var time = timespec(tv_sec: 0, tv_nsec: 1_000_000)
            nanosleep(&time, nil)
        }

        func open() { state.withLock { $0.isOpen = true } }

        func waitUntilAsked(_ count: Int) async {
            while true {
                await withCheckedContinuation { continuation in
                    let isThere = state.withLock { state in
                        if state.asked.count >= count { return true }
                        state.waiters.append(continuation)
                        return false
                    }
                    if isThere { continuation.resume() }
                }
                if asked.count >= count { return }
            }
        }
    }

    private func result(
        of name: String, _ resolver: NameResolver
    ) async -> Result<[String], NameResolver.LookupFailure> {
        await withCheckedContinuation { continuation in
            _ = resolver.look(up: name) { continuation.resume(returning: $0) }
        }
    }

    @Test func tellsWhatTheLookupFinds() async {
        let gate = Gate()
        gate.open()
        let resolver = NameResolver(lookup: gate.lookUp)
        #expect(await result(of: "a", resolver) == .success(["a 1", "a 2"]))
        #expect(await result(of: "no", resolver) == .failure(.init(reason: "unknown")))
    }

    @Test func looksUpANameOnceForAllWhoWaitForIt() async {
        let gate = Gate()
        let resolver = NameResolver(limit: 4, lookup: gate.lookUp)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { #expect(await result(of: "a", resolver) == .success(["a 1", "a 2"])) }
            }
            await gate.waitUntilAsked(1)
            gate.open()
        }
        #expect(gate.asked.count < 50)
        #expect(resolver.workerCount <= 1)
    }

    @Test func usesNoMoreThreadsThanAllowed() async {
        let gate = Gate()
        let resolver = NameResolver(limit: 3, lookup: gate.lookUp)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    #expect(await result(of: "\(number)", resolver) == .success(["\(number) 1", "\(number) 2"]))
                }
            }
            await gate.waitUntilAsked(3)
            #expect(resolver.workerCount == 3)
            #expect(gate.asked.count == 3)
            gate.open()
        }
        #expect(gate.asked.count == 100)
        #expect(Set(gate.asked).count == 100)
    }

    @Test func givesUpALookupThatNobodyWaitsFor() async {
        let gate = Gate()
        let resolver = NameResolver(limit: 1, lookup: gate.lookUp)
        let calls = Mutex(0)
        _ = resolver.look(up: "first") { _ in }
        await gate.waitUntilAsked(1)
        let tickets = (0..<3).map { _ in resolver.look(up: "second") { _ in calls.withLock { $0 += 1 } } }
        for ticket in tickets { resolver.cancel(ticket) }
        async let last = result(of: "third", resolver)
        gate.open()
        #expect(await last == .success(["third 1", "third 2"]))
        #expect(gate.asked == ["first", "third"])
        #expect(calls.withLock { $0 } == 0)
    }

    /// The lookup goes on for the one who is left.
    @Test func cancelsOneOfTwo() async {
        let gate = Gate()
        let resolver = NameResolver(limit: 1, lookup: gate.lookUp)
        let ticket = resolver.look(up: "a") { _ in Issue.record("it was cancelled") }
        await gate.waitUntilAsked(1)
        async let other = result(of: "a", resolver)
        resolver.cancel(ticket)
        gate.open()
        #expect(await other == .success(["a 1", "a 2"]))
    }

    @Test func beginsNothingMoreOnceStopped() async {
        let gate = Gate()
        let resolver = NameResolver(limit: 1, lookup: gate.lookUp)
        for name in ["a", "b"] { _ = resolver.look(up: name) { _ in Issue.record("it was stopped") } }
        await gate.waitUntilAsked(1)
        resolver.stop()
        _ = resolver.look(up: "c") { _ in Issue.record("it was stopped") }
        gate.open()
        while resolver.workerCount > 0 { await Task.yield() }
        #expect(gate.asked == ["a"])
    }

    @Test func asksTheSystem() async throws {
        let resolver = NameResolver(family: .ipv4)
        #expect(try await result(of: "localhost", resolver).get() == ["127.0.0.1"])
        guard case .failure = await result(of: "strata-test.invalid", resolver) else {
            Issue.record("a reserved name has an address")
            return
        }
    }
}
