// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
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
}
