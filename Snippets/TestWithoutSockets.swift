// SPDX-License-Identifier: Apache-2.0

// How code that uses a client is tested: over a transport that answers from a script, with a clock that does not wait.
//
//     swift run TestWithoutSockets

import Strata
import StrataTesting

struct User: Codable { var name: String }

/// The code to test.
func rename(_ id: Int, to name: String, by client: some NetworkClientProtocol) async throws -> User {
    try await client.put("users/\(id)", body: User(name: name))
}

let transport = ScriptedTransport(.status(503, retryAfter: 7), .json(#"{"name": "Ada"}"#))
let clock = VirtualClock()
let client = NetworkClient(
    configuration: NetworkConfiguration(
        baseURL: "https://api.example", transport: transport, middleware: [RetryMiddleware()], clock: clock))

let user = try await rename(7, to: "Ada", by: client)
precondition(user.name == "Ada")
precondition(transport.requests.map(\.url) == Array(repeating: "https://api.example/users/7", count: 2))
let sent = try transport.requests[1].json
precondition(sent["name"] == "Ada")
precondition(clock.sleeps == [.seconds(7)])
print("all is as expected")
