// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Synchronization
import Testing

/// What a layer does to a request's body leaves the fields behind it.
struct RequestTrailersTests {
    private let body = RequestBody.stream(isReplayable: true, hasTrailers: true) {
        PiecesSource([Data("ab".utf8)], trailers: [.eTag: "1"])
    }

    private func trailers(of body: RequestBody) async throws -> HTTPFields? {
        let source = try body.makeSource()
        while try await source.next() != nil {}
        return source.trailers
    }

    @Test func stayBehindABodyThatIsChanged() async throws {
        #expect(try await trailers(of: body) == [.eTag: "1"])
        #expect(
            try await trailers(of: body.mapSource(length: nil) { _ in PiecesSource([Data()]) }) == [.eTag: "1"])
        #expect(body.mapSource(length: nil) { $0 }.hasTrailers)
    }

    @Test func stayBehindABodyThatIsObserved() async throws {
        let observed = body.observed(onStart: {}, onPiece: { _ in })
        #expect(try await trailers(of: observed) == [.eTag: "1"])
    }

    @Test func areNoneOfABodyWithoutThem() async throws {
        let plain = RequestBody.stream(isReplayable: true) { PiecesSource([Data("ab".utf8)]) }
        #expect(try await trailers(of: plain.mapSource(length: nil) { $0 }) == nil)
    }

    @Test func standBehindTheSourcesAroundThem() async throws {
        let source = PiecesSource([Data("ab".utf8)], trailers: [.eTag: "1"])
        let limited = LimitedSource(source, limit: 2)
        #expect(try await limited.next() == Data("ab".utf8))
        #expect(try await limited.next() == nil)
        #expect(limited.trailers == [.eTag: "1"])
    }

    @Test func aChangedBodyIsCancelledAsItIs() throws {
        let (inner, outer) = (PiecesSource([Data("ab".utf8)], trailers: [:]), PiecesSource([Data("c".utf8)]))
        let body = RequestBody.stream(isReplayable: true, hasTrailers: true) { inner }
        try body.mapSource(length: nil) { _ in outer }.makeSource().cancel()
        #expect(outer.isCancelled)
    }

    @Test func areAskedForOnceAtTheEnd() async throws {
        let count = Mutex(0)
        let body = RequestBody.stream {
            AsyncStream<Data> {
                $0.yield(Data("ab".utf8))
                $0.finish()
            }
        } trailers: {
            count.withLock { $0 += 1 }
            return [.eTag: "1"]
        }
        #expect(body.hasTrailers && body.isReplayable && body.length == nil)
        let source = try body.makeSource()
        #expect(try await source.next() == Data("ab".utf8))
        #expect(source.trailers == nil && count.withLock { $0 } == 0)
        #expect(try await source.next() == nil)
        #expect(try await source.next() == nil)
        #expect(source.trailers == [.eTag: "1"] && count.withLock { $0 } == 1)
        #expect(try await trailers(of: body) == [.eTag: "1"])
        #expect(count.withLock { $0 } == 2)
    }
}
