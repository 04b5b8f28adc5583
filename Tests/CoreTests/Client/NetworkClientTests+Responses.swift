// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import TestSupport
import Testing

extension NetworkClientTests {
    // MARK: What comes back

    @Test func readsBytesAndTextWithoutADecoder() async throws {
        let transport = ScriptedTransport(
            .status(200, fields: [.contentType: "text/plain; charset=ISO-8859-1"], body: Data([0xe9])))
        let client = makeClient(transport)
        #expect(try await client.run(NetworkRequest<VoidRequest, Data>(method: .get)).value == Data([0xe9]))
        #expect(try await client.run(NetworkRequest<VoidRequest, String>(method: .get)).value == "é")
        #expect(transport.requests[0]["accept"] == nil)
    }

    @Test func refusesTextThatIsNotInItsCharset() async {
        let client = makeClient(ScriptedTransport(.status(200, body: Data([0xff, 0xfe, 0xfd]))))
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, String>(method: .get))
        } throws: {
            isFailure($0, .decodingFailed)
        }
    }

    @Test(arguments: [ScriptedReply.status(204), .status(200), .json("null")])
    func readsNothingAsNil(reply: ScriptedReply) async throws {
        let response = try await makeClient(ScriptedTransport(reply)).run(
            NetworkRequest<VoidRequest, Post?>(method: .get))
        #expect(response.value == nil)
    }

    @Test(arguments: [
        (ScriptedReply.status(204), true), (.status(200), true), (.pieces([Data("x".utf8)], status: 205), true),
        (.text("x"), false), (.pieces([Data("x".utf8)]), false),
    ])
    func ignoresNothingAsNil(reply: ScriptedReply, isNil: Bool) async throws {
        let transport = ScriptedTransport(reply)
        let response = try await makeClient(transport).run(
            NetworkRequest<VoidRequest, VoidResponse?>(method: .get))
        #expect((response.value == nil) == isNil)
        #expect(transport.requests[0]["accept"] == nil)
    }

    @Test func attachesHeadBodyAndRecordToAnUnacceptableStatus() async throws {
        struct Problem: Decodable { var title: String }
        let client = makeClient(ScriptedTransport(.json(#"{"title": "gone"}"#, status: 410)))
        do {
            _ = try await client.run(
                NetworkRequest<VoidRequest, [Post]>(
                    path: "x", method: .get, queryItems: [.init(name: "token", value: "s3cret")]))
            Issue.record("a 410 passed")
        } catch let error as NetworkClientError {
            #expect(error.code == .unacceptableStatus)
            #expect(error.response?.status == .gone)
            #expect(try error.decode(Problem.self).title == "gone")
            #expect(error.exchange?.attempts.map(\.status) == [.gone])
            #expect(!"\(error)".contains("s3cret"))
            #expect("\(error)".contains("410"))
        }
    }

    @Test func readsTheBodyOfAnErrorAsItWouldReadAnAnswer() async throws {
        let client = makeClient(ScriptedTransport(.text("na\u{ef}ve", status: 400), .status(500)))
        let request = NetworkRequest<VoidRequest, Post>(method: .get)
        let refusal = await #expect(throws: NetworkClientError.self) { try await client.run(request) }
        #expect(try refusal?.decode(String.self) == "na\u{ef}ve")
        #expect(try refusal?.decode() == Data("na\u{ef}ve".utf8))
        let failure = await #expect(throws: NetworkClientError.self) { try await client.run(request) }
        #expect(try failure?.decode(Post?.self) == .some(nil))
    }

    @Test func readsTheBodyOfAnErrorThatAMiddlewareThrew() async throws {
        let strict = Around { request, next in
            let response = try await next(request)
            throw NetworkClientError(
                .unacceptableStatus, "not that", response: response.head, body: try await response.body.collect())
        }
        let client = makeClient(ScriptedTransport(.json(#"{"id": 1, "title": "gone"}"#)), middleware: [strict])
        let request = NetworkRequest<VoidRequest, VoidResponse>(method: .get)
        let run = await #expect(throws: NetworkClientError.self) { try await client.run(request) }
        #expect(try run?.decode(Post.self) == Post(id: 1, title: "gone"))
        let opened = await #expect(throws: NetworkClientError.self) { try await client.open(request) }
        #expect(try opened?.decode(Post.self) == Post(id: 1, title: "gone"))
    }

    @Test func cancellingWhileTheBodyOfAnErrorArrivesIsACancellation() async throws {
        let (reads, continuation) = AsyncStream.makeStream(of: Void.self)
        let client = makeClient(ScriptedTransport(.source(status: 500) { HangingSource { continuation.yield() } }))
        let call = Task { try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get)).value }
        for await _ in reads { break }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func boundsTheBodyOfAnError() async throws {
        let pieces = [Data](repeating: Data(count: 40_000), count: 4)
        let client = makeClient(ScriptedTransport(.pieces(pieces, status: 500)))
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        } throws: {
            ($0 as? NetworkClientError)?.body?.count == 65_536
        }
    }

    @Test func waitsTenSecondsForTheBodyOfAnErrorThatTrickles() async throws {
        /// A comment of an event stream every 0.8 seconds, for ever.
        final class Trickle: BodySource {
            let clock: VirtualClock
            init(_ clock: VirtualClock) { self.clock = clock }
            func next() -> Data? {
                clock.advance(by: .milliseconds(800))
                return Data(":\n".utf8)
            }
            func cancel() {}
        }
        let clock = VirtualClock()
        let client = makeClient(ScriptedTransport(.source(status: 401) { Trickle(clock) }), clock: clock)
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        } throws: {
            isFailure($0, .unacceptableStatus)
                && (12...13).contains((($0 as? NetworkClientError)?.body?.count ?? 0) / 2)
        }
    }

    @Test func letsARequestChooseItsStatuses() async throws {
        let client = makeClient(ScriptedTransport(.status(404)))
        let request = NetworkRequest<VoidRequest, VoidResponse>(method: .get) { $0.acceptableStatus = .codes(404) }
        let response = try await client.run(request)
        #expect(response.status == .notFound)
        #expect(response.headerFields == response.response.headerFields)
    }

    @Test func explainsWhatCouldNotBeDecoded() async throws {
        let transport = ScriptedTransport(.json(#"{"id": "x"}"#))
        let log = Log()
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkClientError.self)
        let client = makeClient(transport) { $0.onDecodingFailure = { continuation.yield($0) } }
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, Post>(method: .get))
        } throws: {
            isFailure($0, .decodingFailed) && ($0 as? NetworkClientError)?.body == Data(#"{"id": "x"}"#.utf8)
        }
        continuation.finish()
        for await failure in stream { await log.add(failure.code.description) }
        #expect(await log.lines == ["decodingFailed"])
    }

    @Test func neverTakesATruncatedBodyForAShortOne() async {
        let reply = ScriptedReply.pieces(
            [Data(#"{"id": 1, "#.utf8)], failure: NetworkClientError(.connectionLost, "closed early"))
        let client = makeClient(ScriptedTransport(reply))
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        } throws: { error in
            guard let error = error as? NetworkClientError else { return false }
            return error.code == .connectionLost && error.response?.status == .ok
                && error.exchange?.attempts.first?.error == .connectionLost
        }
    }

    @Test func endsABodyOverTheLimit() async {
        let pieces = [Data](repeating: Data(count: 600), count: 3)
        for length in [nil, 1800] as [Int64?] {
            let client = makeClient(ScriptedTransport(.pieces(pieces, length: length)))
            let request = NetworkRequest<VoidRequest, Data>(method: .get) { $0.maximumResponseBytes = 1000 }
            await #expect {
                _ = try await client.run(request)
            } throws: {
                isFailure($0, .bodyTooLarge)
                    && ($0 as? NetworkClientError)?.exchange?.attempts.map(\.error) == [.bodyTooLarge]
            }
        }
    }

    @Test func aBodyOverTheLimitGivesWhatIsWithinAndThenFails() async throws {
        let pieces = [Data](repeating: Data(count: 600), count: 3)
        var request = try TransportRequest(url: "https://h/")
        request.options.maximumResponseBytes = 1000
        let response = try await makeClient(ScriptedTransport(.pieces(pieces))).execute(request)
        var iterator = response.body.makeAsyncIterator()
        var sizes: [Int?] = []
        for _ in 0..<2 { sizes.append(try await iterator.next()?.count) }
        #expect(sizes == [600, 400])
        for _ in 0..<2 {
            let error = await #expect(throws: NetworkClientError.self) { try await iterator.next() }
            #expect(error?.code == .bodyTooLarge)
        }
        #expect(response.exchange.attempts.map(\.error) == [.bodyTooLarge])
        #expect(response.exchange.attempts.map(\.bytesReceived) == [1000])
    }

    @Test func keepsOfTheBodyOfAnErrorWhatIsWithinTheLimit() async throws {
        for reply in [
            ScriptedReply.status(500, body: Data(count: 6000)),
            .pieces([Data(count: 4000), Data(count: 2000)], status: 500),
        ] {
            let client = makeClient(ScriptedTransport(reply)) { $0.options.maximumResponseBytes = 4096 }
            let error = await #expect(throws: NetworkClientError.self) {
                try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
            }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.body?.count == 4096)
            #expect(error?.exchange?.attempts.map(\.error) == [nil])
        }
    }

    @Test func tellsOfABodyThatIsTooLargeForItsReader() async throws {
        let client = makeClient(ScriptedTransport(.pieces([Data("ab".utf8), Data("c".utf8)])))
        for wraps in [false, true] {
            let response = try await client.open(NetworkRequest<VoidRequest, Data>(method: .get))
            let body = wraps ? response.body.mapSource { $0 } : response.body
            let error = await #expect(throws: NetworkClientError.self) { try await body.collect(upTo: 2) }
            #expect(error?.response?.status == .ok)
            #expect(error?.exchange?.attempts.map(\.error) == [.bodyTooLarge])
            #expect(response.exchange.attempts.map(\.error) == [.bodyTooLarge])
        }
    }

    @Test(arguments: [nil, 1 << 40] as [Int64?])
    func aBodyThatNobodyWantsHasALimitToo(length: Int64?) async {
        let mebibyte = Data(count: 1 << 20)
        let client = makeClient(ScriptedTransport(.pieces([Data](repeating: mebibyte, count: 65), length: length)))
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        } throws: {
            isFailure($0, .bodyTooLarge) && ($0 as? NetworkClientError)?.response?.status == .ok
                && ($0 as? NetworkClientError)?.exchange?.attempts.map(\.error) == [.bodyTooLarge]
        }
    }

    @Test func leavesTheBodyOfAnOpenedCallToTheReader() async throws {
        let client = makeClient(ScriptedTransport(.pieces([Data("a".utf8), Data("b".utf8)]))) {
            $0.options.timeouts.attempt = .seconds(1)
            $0.options.timeouts.deadline = .seconds(1)
        }
        let response = try await client.open(NetworkRequest<VoidRequest, Data>(method: .get))
        var pieces: [Data] = []
        for try await piece in response.body { pieces.append(piece) }
        #expect(pieces == [Data("a".utf8), Data("b".utf8)])
        #expect(response.exchange.attempts[0].bytesReceived == 2)
    }

    @Test func countsWhatWasReadOfABodyThatWasLeft() async throws {
        let client = makeClient(ScriptedTransport(.pieces([Data("ab".utf8), Data("c".utf8)])))
        let response = try await client.open(NetworkRequest<VoidRequest, Data>(method: .get))
        #expect(response.exchange.attempts[0].bytesReceived == 0)
        for try await _ in response.body { break }
        #expect(response.exchange.attempts[0].bytesReceived == 2)
        #expect(response.exchange.attempts[0].error == nil && !response.exchange.attempts[0].isCancelled)
    }

    @Test func givesAnOpenedCallNoLimitsButThoseOfItsOwn() async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport) { $0.options.timeouts.attempt = .seconds(1) }
        _ = try await client.open(NetworkRequest<VoidRequest, Data>(method: .get))
        _ = try await client.open(NetworkRequest<VoidRequest, Data>(method: .get) { $0.timeouts.attempt = .seconds(9) })
        #expect(transport.requests[0].options.timeouts.attempt == nil)
        #expect(transport.requests[0].options.timeouts.idle == .seconds(60))
        #expect(transport.requests[1].options.timeouts.attempt == .seconds(9))
    }
}
