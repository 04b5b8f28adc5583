// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataTesting

// Isolated to the main actor, with their conformances, by the target's default.
struct Draft: Encodable { var title: String }
struct Post: Decodable {
    var id: Int
    var title: String
}

@main
struct MainActorApp {
    static func main() async throws {
        let transport = ScriptedTransport(.json(#"{"id": 1, "title": "hello"}"#, status: 201))
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: "https://api.example"), transport: transport))
        let post = try await client.run(
            NetworkRequest<Draft, Post>(path: "posts", method: .post, body: Draft(title: "hello"))
        ).value
        guard post.id == 1, transport.requests[0].text == #"{"title":"hello"}"# else { exit(1) }
        print("decoded on the main actor: \(post)")
        guard try await Basket.fill().map(\.name) == ["fig", "fig", "fig"] else { exit(1) }
        print("filled a basket on the main actor")
    }
}
