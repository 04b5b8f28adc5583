// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataNative
import Synchronization
import Testing

@testable import StrataTesting

/// A place that exchanges go to over both transports.
struct DifferentialLane: Sendable {
    struct Exchange: Sendable {
        var request: TransportRequest
        var description: String
        /// Of the answer, as the server has it; `nil` when nobody has said.
        var content: Data?
        /// Whether a part of the content is a whole body, because the end of the connection is its end.
        var mayBeCutOff = false
        /// Whether the answer comes before the request's body has been sent.
        var isAnsweredEarly = false
        /// Whether the connection ends right behind the answer.
        var endsWithConnection = false
        /// What comes behind a whole answer; `nil` when nobody has said.
        var trailers: HTTPFields?
    }

    let pair: TransportPair
    /// How many exchanges are under way at one time.
    var workers = 1
    /// Makes one of its number.
    let exchange: @Sendable (Int, (inout RequestOptions) -> Void) throws -> Exchange
}

/// The native transport and libcurl, told the same.
struct TransportPair: Sendable {
    let native: any NetworkTransport
    let curl: any NetworkTransport

    /// - Parameters:
    ///   - named: whether the path of each request begins with the name of the transport.
    ///   - whole: whether answers are handed on when they are whole. When a failure comes together with the head, one throws it instead of
    ///     the head, and the other behind it.
    init(
        named: Bool = false, whole: Bool = false, _ configure: (inout OwnTransport.Configuration) -> Void = { _ in }
    ) {
        var own = OwnTransport.Configuration()
        configure(&own)
        let (native, curl) = (OwnTransport.native.make(own), OwnTransport.curl.make(own))
        self.native = whole ? Whole(base: native, prefix: named ? "/native" : "") : native
        self.curl = whole ? Whole(base: curl, prefix: named ? "/curl" : "") : curl
    }

    func shutdown() async {
        await native.shutdown()
        await curl.shutdown()
    }

    private struct Whole: NetworkTransport {
        let base: any NetworkTransport
        let prefix: String

        var capabilities: TransportCapabilities { base.capabilities }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            var request = request
            request.head.path = prefix + (request.head.path ?? "")
            var response = try await base.send(request)
            var data = Data()
            for try await piece in response.body { data += piece }
            response.body = ResponseBody(data, trailers: try await response.trailers)
            return response
        }

        func shutdown() async { await base.shutdown() }
    }
}

/// Exchanges that are made of a seed: `STRATA_EXCHANGES` says how many (300), and `STRATA_SEED` gives the seed (1).
struct DifferentialRun {
    static let count = number("STRATA_EXCHANGES", 300)
    static let seed = UInt64(number("STRATA_SEED", 1))

    private static func number(_ name: String, _ fallback: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? fallback
    }

    /// So many go to one set of servers: those over HTTP/2 remember all that came.
    private static let part = 1000

    /// - Parameters:
    ///   - way: how they go, in words.
    ///   - mostFail: whether nothing else is expected.
    ///   - body: starts servers, and hands the lanes that lead to them to its argument.
    static func compare(
        _ way: String, mostFail: Bool = false,
        _ body: (_ run: ([DifferentialLane]) async throws -> Void) async throws -> Void
    ) async throws {
        var outcomes: [Bool: Int] = [:]
        for start in stride(from: 0, to: count, by: part) {
            try await body { lanes in
                let found = try await send(start..<min(count, start + part), lanes)
                outcomes.merge(found, uniquingKeysWith: +)
            }
        }
        // Both kinds are among them.
        if !mostFail { #expect(outcomes[true, default: 0] > count / 2) }
        #expect(outcomes[false, default: 0] > count / (mostFail ? 2 : 20))
        print(
            "\(count) random exchanges \(way), native and libcurl side by side: \(outcomes[true] ?? 0) whole, \(outcomes[false] ?? 0) failed"
        )
    }

    private static func send(_ numbers: Range<Int>, _ lanes: [DifferentialLane]) async throws -> [Bool: Int] {
        let workers = lanes.flatMap { Array(repeating: $0, count: $0.workers) }
        return try await withThrowingTaskGroup(of: [Bool: Int].self) { group in
            for (place, lane) in workers.enumerated() {
                group.addTask {
                    var outcomes: [Bool: Int] = [:]
                    for number in stride(from: numbers.lowerBound + place, to: numbers.upperBound, by: workers.count) {
                        outcomes[try await isWhole(number, lane), default: 0] += 1
                    }
                    return outcomes
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
    }

    private static func isWhole(_ number: Int, _ lane: DifferentialLane) async throws -> Bool {
        let interims = Interims()
        // Whoever asks for interim responses waits in another way.
        let exchange = try lane.exchange(number) { options in
            if number % 2 == 0 { options.onInterim = { interims.add($0.status.code) } }
        }
        let transport = DifferentialTransport(
            lane.pair.native, lane.pair.curl, ignoring: DifferentialTransport.changingFields, clock: SlowClock(),
            onDifference: { _ in })
        var isWhole = true
        var description = exchange.description
        do {
            let response = try await transport.send(exchange.request)
            let body = try await response.body.collect()
            // Else a difference would not tell which of them is wrong, and what both do wrong would be none.
            if let content = exchange.content {
                let place = zip(body, content).prefix { $0 == $1 }.count
                let isWhole = place == content.count || exchange.mayBeCutOff
                #expect(
                    place == body.count && isWhole,
                    "exchange \(number) of seed \(seed): native has \(body.count) bytes, the server's up to \(place)\n\(exchange.description)"
                )
            }
            if let trailers = exchange.trailers {
                #expect(try await response.trailers == trailers, "exchange \(number): \(exchange.description)")
            }
        } catch let error as NetworkClientError {
            isWhole = false
            description += "\nnative: \(error)"
        }
        // libcurl (7.88.1) now and then waits on such a stream until the idle limit ends that.
        if exchange.isAnsweredEarly, transport.differences.contains(where: \.isOfIdlenessOfTheSecond) {
            return isWhole
        }
        // libcurl (7.88.1) loses an answer over HTTP/2 when it sees the connection's end together with it.
        if exchange.endsWithConnection, transport.differences.contains(where: \.isOfALostConnectionOfTheSecond) {
            return isWhole
        }
        // libcurl (7.88.1) loses trailers over HTTP/2: behind a body whose length was announced, and on a connection that ends.
        let known = exchange.trailers == nil ? [] : transport.differences.filter { $0.isOfTrailersThatTheSecondLost }
        for difference in transport.differences where !known.contains(difference) {
            Issue.record("exchange \(number) of seed \(seed): \(difference)\n\(description)")
        }
        // First those of one, then those of the other.
        let codes = interims.codes
        let half = codes.count / 2
        if isWhole, Array(codes[..<half]) != Array(codes[half...]) {
            Issue.record("exchange \(number) of seed \(seed): interim responses \(codes)\n\(description)")
        }
        return isWhole
    }

    /// Half a second, which the one body may go on when the other has failed, is little on a busy machine.
    private struct SlowClock: NetworkClock {
        let base = SystemClock()
        var now: Duration { base.now }
        var date: Date { base.date }
        func sleep(for duration: Duration) async throws { try await base.sleep(for: duration + .seconds(600)) }
    }

    private final class Interims: Sendable {
        private let state = Mutex<[Int]>([])
        var codes: [Int] { state.withLock { $0 } }
        func add(_ code: Int) { state.withLock { $0.append(code) } }
    }
}

extension TransportDifference {
    fileprivate var isOfIdlenessOfTheSecond: Bool { aspect == .outcome && second == "timedOut (idle)" }
    fileprivate var isOfALostConnectionOfTheSecond: Bool { aspect == .outcome && second == "connectionLost" }
    fileprivate var isOfTrailersThatTheSecondLost: Bool { aspect == .trailers && second == "\"\"" }
}
