// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import StrataRest
import StrataTesting

// What is used outside of the main actor too: models of publishers and remote properties, services and their endpoints.
nonisolated struct Fruit: Codable { var name: String }

nonisolated enum Shop: Service {
    static let baseURL = URL(string: "https://shop.example")!

    enum Fruits: Endpoint {
        typealias Parent = Shop
        static let path = "fruits"

        static let today = Request(.get, parent: Self.self)
    }
}

struct Basket {
    @Rest(path: "fruit") var fruit = Fruit(name: "kiwi")

    static func fill() async throws -> [Fruit] {
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: nil, transport: ScriptedTransport(.json(#"{"name": "fig"}"#))))
        let sent: Fruit = try await Request.withClient(client) { try await Shop.Fruits.today.send() }
        let configuration = RestConfiguration(host: "shop.example", client: client)
        configuration.sendsAnonymously = true
        let basket = RestConfiguration.withCurrent(configuration) { Basket() }
        return [sent, try await basket.$fruit.get().value, basket.fruit]
    }

    /// For the compiler alone.
    static func published() -> AnyPublisher<Fruit, RequestError> { Shop.Fruits.today.send() }
}
