// SPDX-License-Identifier: Apache-2.0

import Foundation
@testable import StrataRequests
import Testing

struct SessionClientsTests {
    @Test func aSessionHasOneClient() {
        let clients = SessionClients(limit: 4)
        let session = URLSession(configuration: .ephemeral)
        for _ in 0..<3 { _ = clients.client(for: session) }
        #expect(clients.count == 1)
        _ = clients.client(for: .shared)
        #expect(clients.count == 2)
    }

    @Test func sessionsDoNotPileUp() {
        let clients = SessionClients(limit: 3)
        for _ in 0..<10 {
            _ = clients.client(for: URLSession(configuration: .ephemeral))
            _ = clients.client(for: .shared)
        }
        #expect(clients.count == 3)
        #expect(clients.holds(.shared))
    }
}
