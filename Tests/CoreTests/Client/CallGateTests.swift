// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct CallGateTests {
    private func isRefused(by gate: CallGate, servesACall: Bool = false) -> Bool {
        do {
            try gate.enter(servesACall: servesACall)
            return false
        } catch {
            return isFailure(error, .transportShutDown)
        }
    }

    @Test func isEmptyWhenAsManyHaveLeftAsHaveEntered() throws {
        let gate = CallGate(of: "client")
        #expect(gate.isEmpty)
        try gate.enter()
        try gate.enter()
        #expect(!gate.isEmpty)
        gate.leave()
        #expect(!gate.isEmpty)
        gate.leave()
        #expect(gate.isEmpty)
    }

    @Test func letsNothingNewInOnceItIsClosed() throws {
        let gate = CallGate(of: "client")
        try gate.enter()
        gate.close()
        gate.close()
        #expect(isRefused(by: gate))
        #expect(!gate.isEmpty)
        gate.leave()
        #expect(gate.isEmpty)
        #expect(isRefused(by: gate))
        #expect(gate.isEmpty)
    }

    @Test func letsInWhatACallUnderWayWaitsFor() {
        let gate = CallGate(of: "client")
        gate.close()
        #expect(!isRefused(by: gate, servesACall: true))
        #expect(!gate.isEmpty)
        gate.leave()
        #expect(gate.isEmpty)
    }

    @Test func saysWhatIsDrained() {
        let gate = CallGate(of: "transport")
        gate.close()
        let error = #expect(throws: NetworkClientError.self) { try gate.enter() }
        #expect(
            error?.message == "the transport is being drained: what is under way ends, and nothing new begins")
    }

    @Test func waitsUntilSomethingIsSo() async {
        let looks = Mutex(0)
        await SystemClock().wait(within: .seconds(600)) {
            looks.withLock { count in
                count += 1
                return count == 3
            }
        }
        #expect(looks.withLock { $0 } == 3)
    }

    @Test(arguments: [Duration.zero, .milliseconds(1), .seconds(-1)])
    func waitsNoLongerThanItMay(limit: Duration) async {
        let start = SystemClock().now
        await SystemClock().wait(within: limit) { false }
        #expect(SystemClock().now - start >= limit)
    }

    @Test func aCancelledTaskWaitsForNothing() async {
        let waiting = Task {
            await Task.yield()
            await SystemClock().wait(within: .seconds(100_000)) { false }
        }
        waiting.cancel()
        await waiting.value
    }

    // MARK: Of a client

    /// Notes how it is drained and shut down.
    private final class Drained: NetworkTransport {
        let capabilities = TransportCapabilities(name: "drained")
        let limits = Mutex<[Duration]>([])

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody(Data()))
        }

        func drain(within limit: Duration) async { limits.withLock { $0.append(limit) } }
    }

    @Test func aDrainedClientSendsNothingMoreAndDrainsItsTransport() async throws {
        let transport = Drained()
        let client = makeClient(ScriptedTransport()) { $0.transport = transport }
        let request = try TransportRequest(url: "https://a.example/")
        #expect(try await client.execute(request).head.status == .ok)
        await client.drain(within: .seconds(100_000))
        let limits = transport.limits.withLock { $0 }
        #expect(limits.count == 1)
        #expect(limits.allSatisfy { $0 > .seconds(1000) && $0 <= .seconds(100_000) })
        await #expect {
            try await client.execute(request)
        } throws: {
            isFailure($0, .transportShutDown)
        }
        #expect(
            try await CallGate.$servesACall.withValue(true) { try await client.execute(request) }.head.status == .ok)
    }

    @Test func whatHasNotEndedWithinTheLimitIsLeftToTheTransport() async throws {
        let transport = Drained()
        let drained = Flag()
        let layer = Around { request, next in
            await eventually { drained.isSet }
            return try await next(request)
        }
        let client = makeClient(ScriptedTransport(), middleware: [layer]) { $0.transport = transport }
        let call = Task { try await client.execute(TransportRequest(url: "https://a.example/")).head.status }
        await client.drain(within: .zero)
        #expect(transport.limits.withLock { $0 } == [.zero])
        drained.set()
        _ = await call.result
    }

    /// The call goes on: its transport is drained when it has ended.
    @Test func aCallUnderWayEndsFirst() async throws {
        let transport = Drained()
        let (entered, goesOn) = (Flag(), Flag())
        let layer = Around { request, next in
            entered.set()
            await eventually { goesOn.isSet }
            #expect(transport.limits.withLock { $0.isEmpty })
            return try await next(request)
        }
        let client = makeClient(ScriptedTransport(), middleware: [layer]) { $0.transport = transport }
        let call = Task { try await client.execute(TransportRequest(url: "https://a.example/")).head.status }
        await eventually { entered.isSet }
        let draining = Task { await client.drain(within: .seconds(100_000)) }
        await Task.yield()
        goesOn.set()
        #expect(try await call.value == .ok)
        await draining.value
        #expect(transport.limits.withLock { $0.count } == 1)
    }

    /// What a transport has that says nothing of itself.
    @Test func aTransportIsShutDownWhenItHasNoDrainOfItsOwn() async {
        final class Closing: NetworkTransport {
            let capabilities = TransportCapabilities(name: "closing")
            let count = Mutex(0)
            func send(_ request: TransportRequest) async throws -> TransportResponse { throw CancellationError() }
            func shutdown() async { count.withLock { $0 += 1 } }
        }
        struct Plain: NetworkTransport {
            let capabilities = TransportCapabilities(name: "plain")
            func send(_ request: TransportRequest) async throws -> TransportResponse { throw CancellationError() }
        }
        let transport = Closing()
        #expect(transport.connectionEvents == nil)
        await transport.drain(within: .seconds(1))
        #expect(transport.count.withLock { $0 } == 1)
        await Plain().drain(within: .zero)
    }
}
