// SPDX-License-Identifier: Apache-2.0

import RequestsExamples
import SeedSupport
import StrataRequests
import Testing

/// The numbered examples, without a network. The integration tests run them over every transport.
struct SeedExampleTests {
    @Test(arguments: RequestExample.all) func theExample(_ example: RequestExample) async throws {
        let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: Echo.transport))
        try await Request.withClient(client) { try await example.run() }
    }

    @Test func thereAreNoOthers() {
        #expect(RequestExample.all.map(\.number) == (1...9).map { "S4.\($0)" })
    }
}
