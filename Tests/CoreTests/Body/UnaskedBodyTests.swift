// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

/// Bodies that nobody asked for hold no call up, although no timeout is set.
struct UnaskedBodyTests {
    /// What makes a client read such a body, and what comes of it.
    private struct Reader: CustomTestStringConvertible, Sendable {
        let name: String
        /// The status of the first answer, whose body says a word and then falls silent.
        let status: Int
        let limit: Duration
        let call: @Sendable (NetworkClient) async throws -> Void

        var testDescription: String { name }

        init(
            _ name: String, _ status: Int, _ limit: Duration,
            _ call: @escaping @Sendable (NetworkClient) async throws -> Void
        ) {
            (self.name, self.status, self.limit, self.call) = (name, status, limit, call)
        }
    }

    private static let readers = [
        Reader("run refuses a status", 500, .seconds(1)) { client in
            let error = await #expect(throws: NetworkClientError.self) {
                try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
            }
            #expect(error?.code == .unacceptableStatus && error?.body?.isEmpty == false)
        },
        Reader("open refuses a status", 404, .seconds(1)) { client in
            let error = await #expect(throws: NetworkClientError.self) {
                try await client.open(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
            }
            #expect(error?.code == .unacceptableStatus && error?.body?.isEmpty == false)
        },
        Reader("a redirect is followed", 302, .milliseconds(500)) { client in
            let value = try await client.run(NetworkRequest<VoidRequest, String>(method: .get)).value
            #expect(value == "second")
        },
        Reader("a layer discards", 503, .milliseconds(500)) { client in
            var configuration = client.configuration
            configuration.middleware = [
                Around { request, next in
                    await (try await next(request)).body.discard()
                    return try await next(request)
                }
            ]
            let value = try await NetworkClient(configuration: configuration)
                .run(NetworkRequest<VoidRequest, String>(method: .get)).value
            #expect(value == "second")
        },
    ]

    @Test(arguments: readers) private func aSilentBodyHoldsNobodyUp(_ reader: Reader) async throws {
        let clock = VirtualClock()
        let source = HangingSource("word") { clock.advance(by: reader.limit) }
        let client = makeClient(server(reader.status, source), clock: clock) { $0.options.timeouts.idle = nil }
        try await reader.call(client)
        #expect(source.isCancelled)
        #expect(clock.now == reader.limit)
    }

    /// Gives a byte a moment before the patience is over, for ever.
    private final class Trickle: BodySource {
        let (clock, step): (VirtualClock, Duration)

        init(_ clock: VirtualClock, _ step: Duration) { (self.clock, self.step) = (clock, step) }

        func next() -> Data? {
            clock.advance(by: step)
            return Data("x".utf8)
        }

        func cancel() {}
    }

    @Test(arguments: readers) private func aBodyThatTricklesHoldsNobodyUp(_ reader: Reader) async throws {
        let clock = VirtualClock()
        let trickle = Trickle(clock, .milliseconds(450))
        let client = makeClient(server(reader.status, trickle), clock: clock) { $0.options.timeouts.idle = nil }
        _ = try? await reader.call(client)
    }

    /// The first answer has the status and the body, the others are fine.
    private func server(_ status: Int, _ body: any BodySource) -> ScriptedTransport {
        ScriptedTransport(.source(status: status, fields: [.location: "/next"]) { body }, .text("second"))
    }

    @Test func aSourceThatIgnoresItsCancelHoldsNobodyUp() async throws {
        /// Waits until the test is over.
        final class Deaf: BodySource {
            let end: SharedResult<Data?>
            let onWait: @Sendable () -> Void
            init(_ end: SharedResult<Data?>, _ onWait: @escaping @Sendable () -> Void) {
                (self.end, self.onWait) = (end, onWait)
            }
            func next() async throws -> Data? {
                let end = end
                onWait()
                return try await Task.detached { try await end.value() }.value
            }
            func cancel() {}
        }
        let (clock, end) = (VirtualClock(), SharedResult<Data?>())
        let deaf = Deaf(end) { clock.advance(by: .seconds(1)) }
        let client = makeClient(server(500, deaf), clock: clock)
        let error = await #expect(throws: NetworkClientError.self) {
            try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        }
        #expect(error?.code == .unacceptableStatus)
        end.finish(.success(nil))
    }

    @Test func aSequenceThatHearsOfItsTaskAloneHoldsNobodyUp() async {
        struct Answering: NetworkTransport {
            let capabilities = TransportCapabilities(name: "answering")
            let clock: VirtualClock

            func send(_ request: TransportRequest) async throws -> TransportResponse {
                let pieces = AsyncStream<Data> {
                    clock.advance(by: .seconds(1))
                    try? await untilCancelled()
                    return nil
                }
                return TransportResponse(head: HTTPResponse(status: .notFound), body: ResponseBody(from: pieces))
            }
        }
        let clock = VirtualClock()
        var configuration = NetworkConfiguration(
            baseURL: URL(string: "https://a.example"), transport: Answering(clock: clock))
        configuration.clock = clock
        let client = NetworkClient(configuration: configuration)
        await #expect(throws: NetworkClientError.self) {
            try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        }
    }

    @Test func aSlowBodyThatComesInTimeIsWhole() async throws {
        /// A piece after each 0.9 seconds, five in all.
        final class Slow: BodySource {
            let clock: VirtualClock
            let pieces = PiecesSource((1...5).map { Data("\($0)".utf8) })
            init(_ clock: VirtualClock) { self.clock = clock }
            func next() throws -> Data? {
                clock.advance(by: .milliseconds(900))
                return try pieces.next()
            }
            func cancel() { pieces.cancel() }
        }
        let clock = VirtualClock()
        let client = makeClient(server(500, Slow(clock)), clock: clock)
        let error = await #expect(throws: NetworkClientError.self) {
            try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        }
        #expect(error?.body == Data("12345".utf8))
    }

    /// The reader waits for what is left, and no longer than it may.
    @Test func theRestOfABodyIsReadWhenItsReaderLeaves() async throws {
        let short = PiecesSource([Data("a".utf8), Data("b".utf8), Data("c".utf8)])
        var pieces = ResponseBody(source: short).makeAsyncIterator()
        _ = try await pieces.next()
        await pieces.discardRest(clock: VirtualClock(), patience: .seconds(1))
        await eventually { short.remaining == 0 }
        #expect(!short.isCancelled)
        let whole = ResponseBody(Data("a".utf8)).makeAsyncIterator()
        await whole.discardRest(clock: VirtualClock(), patience: .seconds(1))
        let long = PiecesSource([Data](repeating: Data(count: 100_000), count: 9))
        await ResponseBody(source: long).makeAsyncIterator().discardRest(clock: VirtualClock(), patience: .seconds(1))
        await eventually { long.isCancelled }
        #expect(long.remaining > 0)
    }
}
