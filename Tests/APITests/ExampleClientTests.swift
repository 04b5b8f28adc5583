// SPDX-License-Identifier: Apache-2.0

import APIExamples
import Testing

/// The shapes of the example client's declarations, over a scripted transport.
struct ExampleClientTests {
    @Test(arguments: ExampleClient.all) func theDeclarations(_ example: ExampleClient) async throws {
        try await example.run(.scripted())
    }
}
