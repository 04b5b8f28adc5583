// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

@testable import StrataCurl

struct OriginsTests {
    private let loop = CurlLoop(HandleOptions(CurlTransport.Configuration(), environment: { _ in nil }))

    private func exchange(_ url: String, _ version: HTTPVersionPolicy = .automatic) throws -> Exchange {
        var request = try TransportRequest(url: url)
        request.options.httpVersion = version
        // One that gives a connection several requests.
        var libcurl = CurlVersion.current
        libcurl.number = 0x08_0E_00
        let plan = try RequestPlan(request, decodesContent: false, libcurl: libcurl)
        return Exchange(request, plan: plan, upload: nil, loop: loop)
    }

    private func exchanges(_ number: Int, _ url: String, _ version: HTTPVersionPolicy = .automatic) throws -> [Exchange]
    {
        try (0..<number).map { _ in try exchange(url, version) }
    }

    /// Which of them go on.
    private func admitted(_ exchanges: [Exchange], by origins: inout Origins) -> [Bool] {
        var admitted: [Bool] = []
        for exchange in exchanges { admitted.append(origins.admits(exchange)) }
        return admitted
    }

    private func expectReleased(
        _ expected: [Exchange], by origins: Origins, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var released: [Exchange] = []
        while let next = origins.nextReleased() { released.append(next) }
        #expect(released.elementsEqual(expected) { $0 === $1 }, sourceLocation: sourceLocation)
    }

    private func leave(_ exchange: Exchange, isCancelled: Bool = false) {
        exchange.queue?.left(exchange, isCancelled: isCancelled)
    }

    // MARK: - A limit of connections

    @Test func admitsEverythingWithoutALimitWhereNoConnectionCanBeShared() throws {
        var origins = Origins(limit: 0)
        #expect(admitted(try exchanges(100, "http://a.example/"), by: &origins) == Array(repeating: true, count: 100))
        let alone = try exchanges(2, "https://a.example/", .http1)
        #expect(admitted(alone, by: &origins) == [true, true])
    }

    @Test func countsEachOriginByItself() throws {
        var origins = Origins(limit: 2)
        for host in ["a.example", "b.example", "a.example:8080"] {
            #expect(admitted(try exchanges(3, "http://\(host)/"), by: &origins) == [true, true, false])
        }
    }

    @Test func letsTheOldestOfItsOwnInWhenOneLeaves() throws {
        var origins = Origins(limit: 1)
        let silent = try exchanges(3, "http://silent.example/")
        let others = try exchanges(3, "http://a.example/")
        #expect(admitted(silent + others, by: &origins) == [true, false, false, true, false, false])
        for number in 0..<2 {
            leave(others[number])
            expectReleased([others[number + 1]], by: origins)
        }
        leave(others[2])
        expectReleased([], by: origins)
        #expect(admitted([try exchange("http://a.example/")], by: &origins) == [true])
    }

    @Test func passesOverThoseThatGaveUp() throws {
        var origins = Origins(limit: 1)
        let exchanges = try exchanges(5, "http://a.example/")
        #expect(admitted(exchanges, by: &origins) == [true, false, false, false, false])
        for number in [1, 3] { leave(exchanges[number], isCancelled: true) }
        expectReleased([], by: origins)
        leave(exchanges[0])
        expectReleased([exchanges[2]], by: origins)
        leave(exchanges[2])
        expectReleased([exchanges[4]], by: origins)
    }

    @Test func passesAPlaceOnWhenItsOwnerLeavesBeforeItWent() throws {
        var origins = Origins(limit: 1)
        let exchanges = try exchanges(3, "http://a.example/")
        #expect(admitted(exchanges, by: &origins) == [true, false, false])
        leave(exchanges[0])
        leave(exchanges[1])
        expectReleased([exchanges[2]], by: origins)
    }

    @Test func keepsNothingOfWhatIsOver() throws {
        var origins = Origins(limit: 1)
        let first = try exchange("http://a.example/")
        #expect(admitted([first], by: &origins) == [true])
        weak var gone: Exchange?
        do {
            let second = try exchange("http://a.example/")
            let third = try exchange("http://a.example/")
            #expect(admitted([second, third], by: &origins) == [false, false])
            gone = second
            leave(second)
            second.queue = nil
        }
        #expect(gone == nil)
    }

    // MARK: - Connections that many share

    @Test func waitsForTheConnectionThatMayCarryItToo() throws {
        var origins = Origins(limit: 0)
        let exchanges = try exchanges(3, "https://a.example/")
        #expect(admitted(exchanges, by: &origins) == [true, false, false])
        #expect(admitted([try exchange("https://b.example/")], by: &origins) == [true], "another origin")
        exchanges[0].queue?.connected(exchanges[0])
        expectReleased([exchanges[1], exchanges[2]], by: origins)
        let next = try self.exchanges(2, "https://a.example/")
        #expect(admitted(next, by: &origins) == [true, false], "it may have closed meanwhile")
    }

    @Test func theNextOneTriesWhenTheFirstIsCancelled() throws {
        var origins = Origins(limit: 0)
        let exchanges = try exchanges(4, "https://a.example/")
        #expect(admitted(exchanges, by: &origins) == [true, false, false, false])
        leave(exchanges[0], isCancelled: true)
        expectReleased([exchanges[1]], by: origins)
        leave(exchanges[1])
        expectReleased([exchanges[2], exchanges[3]], by: origins)
    }

    @Test func nobodyWaitsWhereConnectionsCarryOneAtATime() throws {
        var origins = Origins(limit: 0)
        let exchanges = try exchanges(3, "https://a.example/")
        #expect(admitted(exchanges, by: &origins) == [true, false, false])
        exchanges[0].queue?.connected(exchanges[0])
        expectReleased([exchanges[1], exchanges[2]], by: origins)
        exchanges[0].queue?.answered(exchanges[0], byHTTP1: true)
        #expect(admitted(try self.exchanges(3, "https://a.example/"), by: &origins) == [true, true, true])
        exchanges[1].queue?.answered(exchanges[1], byHTTP1: false)
        #expect(admitted(try self.exchanges(2, "https://a.example/"), by: &origins) == [true, false])
    }

    // MARK: - Both

    @Test func admitsAnyNumberToAnOriginThatSpeaksHTTP2() throws {
        var origins = Origins(limit: 1)
        let exchanges = try exchanges(2, "https://a.example/")
        // HTTP/1.1 needs a connection of its own.
        let alone = try exchange("https://a.example/", .http1)
        #expect(admitted([exchanges[0], alone, exchanges[1]], by: &origins) == [true, false, false])
        exchanges[0].queue?.connected(exchanges[0])
        expectReleased([], by: origins)
        exchanges[0].queue?.answered(exchanges[0], byHTTP1: false)
        expectReleased([exchanges[1]], by: origins)
        leave(exchanges[1])
        expectReleased([], by: origins)
        leave(exchanges[0])
        expectReleased([alone], by: origins)
    }

    @Test func anOriginThatFallsBackToHTTP1IsCountedAgain() throws {
        var origins = Origins(limit: 1)
        let first = try exchange("https://a.example/")
        #expect(admitted([first], by: &origins) == [true])
        first.queue?.connected(first)
        first.queue?.answered(first, byHTTP1: false)
        first.queue?.answered(first, byHTTP1: true)
        #expect(admitted([try exchange("https://a.example/")], by: &origins) == [false])
    }

    @Test func theOneThatOthersWaitForMayGiveUpWhileItWaitsItself() throws {
        var origins = Origins(limit: 1)
        let busy = try exchange("https://a.example/", .http1)
        let exchanges = try exchanges(3, "https://a.example/")
        #expect(admitted([busy] + exchanges, by: &origins) == [true, false, false, false])
        leave(exchanges[0], isCancelled: true)
        expectReleased([], by: origins)
        leave(busy)
        expectReleased([exchanges[1]], by: origins)
        exchanges[1].queue?.connected(exchanges[1])
        exchanges[1].queue?.answered(exchanges[1], byHTTP1: false)
        expectReleased([exchanges[2]], by: origins)
    }
}
