// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import StrataTransportSupport
import Testing

@testable import StrataCurl

struct EventQueueTests {
    @Test func aMomentComesOnce() throws {
        let multi = try #require(curl_multi_init())
        let queue = try #require(EventQueue(multi: multi))
        defer {
            curl_multi_cleanup(multi)
            queue.close()
        }
        let sockets = SocketTable(queue)
        var ready = EventQueue.Ready()
        defer { ready.free() }
        queue.arm(at: MonotonicClock.now)
        queue.wait(&ready, isBlocking: true)
        let isDue = queue.dispatch(&ready, sockets, goesOn: { true })
        queue.wait(&ready, isBlocking: false)
        let isDueAgain = queue.dispatch(&ready, sockets, goesOn: { true })
        #expect(isDue)
        #expect(!isDueAgain)
    }
}
