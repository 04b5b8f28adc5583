// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataStreaming
import StrataTesting
import Synchronization
import TestSupport
import Testing

@testable import StrataWebSocket

@Suite(.timeLimit(.minutes(10)))
struct ReconnectingWebSocketTests {
    private static var exact: ReconnectionPolicy {
        var policy = ReconnectionPolicy()
        policy.jitter = 0
        return policy
    }

    /// Sends its number and closes with the status; behind the last it closes with 1000.
    private func transport(_ codes: UInt16...) -> ScriptedTransport {
        ScriptedTransport(
            codes.enumerated().map { number, code in
                .webSocket { socket in
                    guard case .text(let text) = try await socket.receive() else { return }
                    try await socket.send("\(number) after \(text)")
                    try await socket.close(.init(rawValue: code))
                }
            })
    }

    private func read(
        _ transport: ScriptedTransport, _ clock: VirtualClock = VirtualClock(), policy: ReconnectionPolicy = exact
    ) async throws -> [String] {
        let stream = NetworkClient(transport, clock: clock).reconnectingWebSocket(
            "live", options: .init(ping: .never), reconnection: policy
        ) { try await $0.send("subscribe") }
        var texts: [String] = []
        for try await case .text(let text) in stream { texts.append(text) }
        return texts
    }

    @Test func subscribesAgainOnEachSocket() async throws {
        let clock = VirtualClock()
        #expect(
            try await read(transport(1001, 1012, 1013, 1000), clock)
                == ["0 after subscribe", "1 after subscribe", "2 after subscribe", "3 after subscribe"])
        #expect(clock.sleeps == [.seconds(3), .seconds(3), .seconds(3)])
    }

    @Test(arguments: [1008, 4400] as [UInt16])
    func anotherStatusIsFinal(_ code: UInt16) async throws {
        let error = await #expect(throws: NetworkClientError.self) { try await read(transport(code, 1000)) }
        #expect(error?.code == .errorEvent)
    }

    @Test func aRefusalIsFinalUnlessThePolicySaysOtherwise() async throws {
        let replies: [ScriptedReply] = [.status(503, retryAfter: 7), .webSocket { try await $0.close() }]
        let error = await #expect(throws: NetworkClientError.self) { try await read(ScriptedTransport(replies)) }
        #expect(error?.code == .unacceptableStatus)
        var policy = Self.exact
        policy.transientStatuses = [503]
        let clock = VirtualClock()
        #expect(try await read(ScriptedTransport(replies), clock, policy: policy) == [])
        #expect(clock.sleeps == [.seconds(7)])
    }

    @Test func countsFailures() async throws {
        var policy = Self.exact
        policy.maximumFailures = 3
        let clock = VirtualClock()
        let error = await #expect(throws: NetworkClientError.self) {
            try await read(ScriptedTransport(.failure(.cannotConnect)), clock, policy: policy)
        }
        #expect(error?.code == .cannotConnect)
        #expect(clock.sleeps == [.seconds(3), .seconds(6)])
    }

    @Test func neverMeansOneSocket() async throws {
        var policy = Self.exact
        policy.scope = .never
        #expect(try await read(transport(1001, 1000), policy: policy) == ["0 after subscribe"])
    }

    @Test func sendsOverThePresentSocket() async throws {
        let client = NetworkClient(ScriptedTransport(.webSocket(serve: echo)))
        let stream = client.reconnectingWebSocket("live", options: .init(ping: .never))
        async let sent: Void = stream.send(.text("a"))
        for try await message in stream {
            #expect(message == .text("a"))
            await stream.close()
        }
        try await sent
        await #expect(throws: NetworkClientError.self) { try await stream.send(.text("late")) }
    }

    @Test func closingEndsAWait() async throws {
        let stream = NetworkClient(ScriptedTransport(.silence), clock: SystemClock()).reconnectingWebSocket("live")
        let reading = Task {
            for try await _ in stream {}
        }
        for _ in 0..<50 { await Task.yield() }
        await stream.close()
        try await reading.value
    }

    @Test func hasOneReader() async throws {
        let stream = NetworkClient(transport(1000)).reconnectingWebSocket("live") { try await $0.send("s") }
        for try await _ in stream {}
        var second = stream.makeAsyncIterator()
        let error = await #expect(throws: NetworkClientError.self) { _ = try await second.next() }
        #expect(error?.code == .bodyAlreadyConsumed)
    }
}
