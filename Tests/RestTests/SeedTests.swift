// SPDX-License-Identifier: Apache-2.0

import RestExamples
import Testing

/// The numbered examples of the seed, without a network; `IntegrationTests` has them over real transports.
struct SeedTests {
    @Test(arguments: RestExample.all) func theExample(_ example: RestExample) async throws {
        try await example.run(.scripted())
    }

    @Test func thereAreNoOthers() {
        let numbers = RestExample.all.compactMap { Int($0.testDescription.split(separator: "_")[1]) }
        #expect(Set(numbers) == Set(1...14))
    }
}
