// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

@testable import StrataTesting

/// Whoever sends what carries nothing loses the connection.
struct CurlFloodTests {
    private static let floods = Attack.all.filter { attack in
        ["empty DATA", "PING acknowledgements", "WINDOW_UPDATE of a stream", "PRIORITY", "unknown kind"].contains {
            attack.description.hasSuffix($0)
        }
    }

    @Test(arguments: floods) func theErrorNamesTheFlood(_ flood: Attack) async throws {
        let server = try flood.start()
        defer { server.stop() }
        try await withCurl { transport in
            let error = await #expect(throws: NetworkClientError.self) {
                let response = try await transport.send(.get, server.url) { $0.httpVersion = .http2PriorKnowledge }
                _ = try await response.body.collect()
            }
            #expect(error?.code == .protocolViolation)
            #expect(error?.message.contains("floods") == true)
        }
        #expect(Self.floods.count == 5)
    }
}
