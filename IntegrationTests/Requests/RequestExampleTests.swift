// SPDX-License-Identifier: Apache-2.0

import Foundation
import RequestsExamples
import StrataRequests
import Testing

/// The numbered examples of the result-builder style, over every transport.
@Suite struct RequestExampleTests {
    private func run(_ transport: TestedTransport, _ example: () async throws -> Void) async throws {
        try await EchoTarget.withServer { server in
            try await transport.run { transport in
                let relay = EchoRelay(transport, to: server.authority)
                let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: relay))
                try await Request.withClient(client) { try await example() }
            }
        }
    }

    @Test(arguments: TestedTransport.allCases) func s4_1(_ transport: TestedTransport) async throws {
        try await run(transport, SeedExamples.s4_1)
    }

    @Test(arguments: TestedTransport.allCases) func s4_2(_ transport: TestedTransport) async throws {
        try await run(transport, SeedExamples.s4_2)
    }

    @Test(arguments: TestedTransport.allCases) func s4_3(_ transport: TestedTransport) async throws {
        try await run(transport, SeedExamples.s4_3)
    }

    @Test(arguments: TestedTransport.allCases) func s4_4(_ transport: TestedTransport) async throws {
        try await run(transport, SeedExamples.s4_4)
    }

    @Test(arguments: TestedTransport.allCases) func s4_5(_ transport: TestedTransport) async throws {
        try await run(transport, SeedExamples.s4_5)
    }

    @Test(arguments: TestedTransport.allCases) func s4_6(_ transport: TestedTransport) async throws {
        try await run(transport, SeedExamples.s4_6)
    }

    @Test(arguments: TestedTransport.allCases) func s4_7(_ transport: TestedTransport) async throws {
        try await run(transport, SeedExamples.s4_7)
    }

    @Test(arguments: TestedTransport.allCases) func s4_8(_ transport: TestedTransport) async throws {
        try await run(transport, SeedExamples.s4_8)
    }

    @Test(arguments: TestedTransport.allCases) func s4_9(_ transport: TestedTransport) async throws {
        try await run(transport, SeedExamples.s4_9)
    }
}
