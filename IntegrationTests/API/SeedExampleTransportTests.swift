// SPDX-License-Identifier: Apache-2.0

import APIExamples
import Foundation
import StrataAPI
import StrataCore
import Testing

/// The numbered examples, over sockets: what is checked is the request that the server received.
@Suite(.timeLimit(.minutes(2)))
struct SeedExampleTransportTests {
    @Test(arguments: SeedExample.all, TestedTransport.allCases)
    func theExample(_ example: SeedExample, over transport: TestedTransport) async throws {
        try await EchoTarget.withServer { server in
            try await transport.run { try await example.run(.echoing($0, at: server.authority)) }
        }
    }

    /// Streams from the socket, which the examples' script replaces.
    @Test(arguments: TestedTransport.allCases)
    func eventsArriveOneByOne(over transport: TestedTransport) async throws {
        try await EchoTarget.withServer { server in
            try await transport.run { transport in
                let api = LiveEventsAPI(Provider(baseURL: server.url, transport: transport))
                var seen = 0
                for try await _ in try await api.events(count: 100, interval: 0) { seen += 1 }
                #expect(seen == 100)
                // An endless stream ends with the loop.
                for try await _ in try await api.events(count: 1_000_000, interval: 1) { break }
                let error = await #expect(throws: NetworkClientError.self) { _ = try await api.failing(code: 503) }
                #expect(error?.response?.status.code == 503)
            }
        }
    }
}

@API
struct LiveEventsAPI {
    @EventStreaming @GET("/sse")
    func events(count: Int, interval: Int) async throws -> AsyncThrowingStream<String, any Error>
    @EventStreaming @GET("/status/{code}") func failing(code: Int) async throws -> AsyncStream<String>
}
