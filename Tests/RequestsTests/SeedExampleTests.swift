// SPDX-License-Identifier: Apache-2.0

import RequestsExamples
import StrataRequests
import Testing

/// The numbered examples, without a network. The integration tests run them over every transport.
struct SeedExampleTests {
    private func run(_ example: () async throws -> Void) async throws {
        let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: Echo.transport))
        try await Request.withClient(client) { try await example() }
    }

    @Test func s4_1() async throws { try await run(SeedExamples.s4_1) }
    @Test func s4_2() async throws { try await run(SeedExamples.s4_2) }
    @Test func s4_3() async throws { try await run(SeedExamples.s4_3) }
    @Test func s4_4() async throws { try await run(SeedExamples.s4_4) }
    @Test func s4_5() async throws { try await run(SeedExamples.s4_5) }
    @Test func s4_6() async throws { try await run(SeedExamples.s4_6) }
    @Test func s4_7() async throws { try await run(SeedExamples.s4_7) }
    @Test func s4_8() async throws { try await run(SeedExamples.s4_8) }
    @Test func s4_9() async throws { try await run(SeedExamples.s4_9) }
}
