// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

@testable import StrataCurl

struct OriginQueuesTests {
    private let loop = CurlLoop(HandleOptions(CurlTransport.Configuration(), environment: { _ in nil }))

    private func exchange(_ url: String, _ version: HTTPVersionPolicy = .automatic) throws -> Exchange {
        var request = try TransportRequest(url: url)
        request.options.httpVersion = version
        return Exchange(request, plan: try RequestPlan(request, decodesContent: false), upload: nil, loop: loop)
    }

    /// Which of them `queues` lets go on.
    private func admitted(_ exchanges: [Exchange], by queues: inout OriginQueues) -> [Bool] {
        var admitted: [Bool] = []
        for exchange in exchanges { admitted.append(queues.admits(exchange)) }
        return admitted
    }

    private func expectReleased(
        _ expected: [Exchange], by queues: inout OriginQueues, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let released = queues.takeReleased()
        #expect(released.elementsEqual(expected) { $0 === $1 }, sourceLocation: sourceLocation)
    }

    @Test func admitsEverythingWithoutALimit() throws {
        var queues = OriginQueues(limit: 0)
        let exchanges = try (0..<100).map { _ in try exchange("http://a.example/") }
        #expect(admitted(exchanges, by: &queues) == Array(repeating: true, count: 100))
    }

    @Test func countsEachOriginByItself() throws {
        var queues = OriginQueues(limit: 2)
        for host in ["a.example", "b.example", "a.example:8080"] {
            let exchanges = try (0..<3).map { _ in try exchange("http://\(host)/") }
            #expect(admitted(exchanges, by: &queues) == [true, true, false])
        }
        let spelledOtherwise = try exchange("http://A.example:80/")
        #expect(admitted([spelledOtherwise], by: &queues) == [false])
    }

    @Test func letsTheOldestOfItsOwnInWhenOneLeaves() throws {
        var queues = OriginQueues(limit: 1)
        let silent = try (0..<3).map { _ in try exchange("http://silent.example/") }
        let others = try (0..<3).map { _ in try exchange("http://a.example/") }
        #expect(admitted(silent + others, by: &queues) == [true, false, false, true, false, false])
        for number in 0..<2 {
            queues.left(others[number])
            expectReleased([others[number + 1]], by: &queues)
        }
        queues.left(others[2])
        expectReleased([], by: &queues)
        let next = try exchange("http://a.example/")
        #expect(admitted([next], by: &queues) == [true])
    }

    @Test func forgetsOneThatGivesUpWaiting() throws {
        var queues = OriginQueues(limit: 1)
        let exchanges = try (0..<3).map { _ in try exchange("http://a.example/") }
        #expect(admitted(exchanges, by: &queues) == [true, false, false])
        queues.left(exchanges[1])
        expectReleased([], by: &queues)
        queues.left(exchanges[0])
        expectReleased([exchanges[2]], by: &queues)
    }

    @Test func passesAPlaceOnWhenItsOwnerLeavesBeforeItWent() throws {
        var queues = OriginQueues(limit: 1)
        let exchanges = try (0..<3).map { _ in try exchange("http://a.example/") }
        #expect(admitted(exchanges, by: &queues) == [true, false, false])
        queues.left(exchanges[0])
        queues.left(exchanges[1])
        expectReleased([exchanges[1], exchanges[2]], by: &queues)
    }

    @Test func admitsAnyNumberToAnOriginThatSpeaksHTTP2() throws {
        var queues = OriginQueues(limit: 1)
        let first = try exchange("https://a.example/")
        let second = try exchange("https://a.example/")
        let third = try exchange("https://a.example/")
        // HTTP/1.1 needs a connection of its own.
        let alone = try exchange("https://a.example/", .http1)
        #expect(admitted([first, alone, second], by: &queues) == [true, false, false])
        queues.share(first)
        expectReleased([second], by: &queues)
        #expect(admitted([third], by: &queues) == [true])
        queues.left(second)
        expectReleased([], by: &queues)
        queues.left(first)
        expectReleased([alone], by: &queues)
    }
}
