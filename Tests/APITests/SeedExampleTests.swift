// SPDX-License-Identifier: Apache-2.0

import APIExamples
import Testing

/// The numbered examples, over a scripted transport.
struct SeedExampleTests {
    @Test(arguments: SeedExample.all) func theExample(_ example: SeedExample) async throws {
        try await example.run(.scripted())
    }

    @Test func thereAreNoOthers() {
        #expect(SeedExample.all.map(\.number) == (1...51).map { "S3.\($0)" })
    }
}
