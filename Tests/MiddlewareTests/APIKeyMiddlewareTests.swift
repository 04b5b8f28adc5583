// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Testing

struct APIKeyMiddlewareTests {
    @Test func goesIntoAField() async throws {
        let transport = ScriptedTransport()
        let name = try #require(HTTPField.Name("X-Custom"))
        _ = try await makeClient(transport, APIKeyMiddleware(Secret.apiKey)).call(fields: [.apiKey: "old"])
        _ = try await makeClient(transport, APIKeyMiddleware(Secret.apiKey, in: .field(name))).call()
        #expect(transport.requests[0]["x-api-key"] == Secret.apiKey)
        #expect(transport.requests[1]["x-custom"] == Secret.apiKey)
        #expect(transport.requests[1].options.isSensitive(name))
    }

    @Test(arguments: [
        ("/", "/?k%20y=s3cr3t-api-key"), ("/?a=1", "/?a=1&k%20y=s3cr3t-api-key"),
        ("/?k%20y=old&a=1&k%20y=older", "/?a=1&k%20y=s3cr3t-api-key"), ("/?k%20y=old", "/?k%20y=s3cr3t-api-key"),
    ])
    func goesIntoTheQuery(path: String, expected: String) async throws {
        let transport = ScriptedTransport()
        _ = try await makeClient(transport, APIKeyMiddleware(Secret.apiKey, in: .query("k y"))).call(.get, path)
        #expect(transport.requests[0].target == expected)
    }

    @Test func staysWithItsOrigin() async throws {
        let transport = ScriptedTransport(.redirect(to: "https://other.example/"), .status(200))
        _ = try await makeClient(
            transport, APIKeyMiddleware(Secret.apiKey), APIKeyMiddleware(Secret.apiKey, in: .query("key"))
        ).call()
        #expect(transport.requests[0]["x-api-key"] == Secret.apiKey)
        #expect(transport.requests[1]["x-api-key"] == nil)
        #expect(transport.requests[1].target == "/")
    }
}
