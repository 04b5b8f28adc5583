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

// The client reads it outside of the main actor; that needs no word here.
enum TenantKey: RequestAttributeKey { static let defaultValue: String? = nil }

@main
struct MainActorApp {
    static func main() async throws {
        let transport = ScriptedTransport(.json(#"{"id": 1, "title": "hello"}"#, status: 201))
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: "https://api.example"), transport: transport))
        var request = NetworkRequest<Draft, Post>(path: "posts", method: .post, body: Draft(title: "hello"))
        request.options = { $0[TenantKey.self] = "acme" }
        let post = try await client.run(request).value
        guard transport.requests[0].options[TenantKey.self] == "acme" else { exit(1) }
        guard post.id == 1, transport.requests[0].text == #"{"title":"hello"}"# else { exit(1) }
        print("decoded on the main actor: \(post)")
        guard try await Basket.fill().map(\.name) == ["fig", "fig", "fig"] else { exit(1) }
        print("filled a basket on the main actor")
    }
}
