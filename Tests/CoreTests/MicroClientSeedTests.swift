// SPDX-License-Identifier: Apache-2.0

import Foundation
import SeedSupport
import StrataTesting
import Testing

struct MicroClientSeedTests {
    @Test(arguments: MicroClientSeed.all) func overAScript(_ seed: MicroClientSeed) async throws {
        let base = try #require(URL(string: "https://hostname.com/api/v3"))
        try await seed.check(ScriptedTransport.echoing(), base)
    }

    @Test func thereAreNoOthers() {
        let numbers = MicroClientSeed.all.compactMap { Int($0.testDescription.split(separator: "_")[1]) }
        #expect(Set(numbers) == Set(1...9))
    }
}
