// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import StrataCore
import Testing

@testable import StrataCurl

struct LoopEngineTests {
    @Test func failsATransferThatGoesOnThoughItIsPaused() throws {
        let options = HandleOptions(CurlTransport.Configuration()) { _ in nil }
        let multi = try #require(curl_multi_init())
        let queue = try #require(EventQueue(multi: multi))
        let engine = LoopEngine(multi: multi, queue: queue, inbox: Inbox(), watch: LoopWatch(), options: options)
        let transfer = try #require(
            Transfer(slot: 0, engine: engine, options: options, memory: engine.memory))
        defer { withExtendedLifetime(engine) {} }
        let request = try TransportRequest(url: "http://a.example/")
        let exchange = Exchange(
            request, plan: try RequestPlan(request, decodesContent: true), upload: nil, loop: CurlLoop(options))
        #expect(transfer.begin(exchange, now: 0) == CURLE_OK)
        let piece = [UInt8](repeating: 0, count: 1 << 20)
        var taken = 0
        while taken < 100, piece.withUnsafeBytes({ engine.receivedBody($0, transfer) }) { taken += 1 }
        #expect(taken == 64)
        #expect((transfer.failure as? NetworkClientError)?.code == .internalFailure)
        transfer.end()
    }
}
