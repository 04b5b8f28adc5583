// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Synchronization
import Testing

struct ObservedBodyTests {
    /// What has been seen of a body.
    private final class Sight: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private func observed(_ body: ResponseBody, _ sight: Sight) -> ResponseBody {
        var response = TransportResponse(head: HTTPResponse(status: .ok), body: body)
        response.observeBody {
            sight.add(String(decoding: $0, as: UTF8.self))
        } onTrailers: {
            sight.add("trailers \($0.count)")
        } onEnd: { end in
            switch end {
            case .complete: sight.add("complete")
            case .abandoned: sight.add("abandoned")
            case .failed: sight.add("failed")
            }
        }
        return response.body
    }

    private let pieces = [Data("ab".utf8), Data("c".utf8)]

    @Test func aBodyIsSeenToItsEndOnce() async throws {
        let sight = Sight()
        let body = observed(ResponseBody(source: PiecesSource(pieces, trailers: [.eTag: "1"])), sight)
        #expect(try await body.collect() == Data("abc".utf8))
        body.cancel()
        #expect(sight.all == ["ab", "c", "trailers 1", "complete"])
    }

    @Test func aBodyThatHasArrivedIsSeenAtOnce() async throws {
        let (sight, empty) = (Sight(), Sight())
        let body = observed(ResponseBody(Data("ab".utf8), trailers: [.eTag: "1"]), sight)
        #expect(sight.all == ["ab", "trailers 1", "complete"] && body.data == Data("ab".utf8))
        _ = observed(ResponseBody(), empty)
        #expect(empty.all == ["complete"])
    }

    @Test func aFailureEndsIt() async {
        let (failing, cancelled) = (Sight(), Sight())
        let lost = NetworkClientError(.connectionLost, "x")
        for (error, sight) in [(lost, failing), (CancellationError(), cancelled)] as [(any Error, Sight)] {
            let body = observed(ResponseBody(source: PiecesSource(pieces, failure: error)), sight)
            await #expect(throws: (any Error).self) { try await body.collect() }
        }
        #expect(failing.all == ["ab", "c", "failed"] && cancelled.all == ["ab", "c", "abandoned"])
    }

    @Test func aBodyThatIsGivenUpIsAbandoned() async throws {
        let (sight, unread) = (Sight(), Sight())
        let source = PiecesSource(pieces)
        for try await _ in observed(ResponseBody(source: source), sight) { break }
        #expect(sight.all == ["ab", "abandoned"] && source.isCancelled)
        let other = PiecesSource(pieces)
        observed(ResponseBody(source: other), unread).cancel()
        #expect(unread.all == ["abandoned"] && other.isCancelled)
    }
}
