// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataRest
import StrataTesting
import TestSupport
import Testing

/// The samples of `RestProperties.md`.
@Suite(.serialized) struct GuideTests {
    struct Fruit: Codable {
        let name: String
        let size: Int
        let color: String
    }

    struct Basket {
        @Rest(path: "fruitoftheday") var fruit: Fruit = Fruit(name: "strawberry", size: 3, color: "red")
    }

    struct Fruits: ParentCodable {
        var values: [Fruit] = []

        static func wrap(child: [Fruit]) -> Self { Fruits(values: child) }
    }

    struct Market {
        @Rest(path: "fruits", params: ["limit": 10], parent: Fruits.self, prop: \.values) var fruits: [Fruit] = []
    }

    @Test func theGuideIsCompiled() throws {
        #expect(try GuideSamples.missing(of: "RestProperties.md", in: #filePath) == [])
    }

    @Test func theSamplesRun() async throws {
        let transport = ScriptedTransport { request in
            switch request.path {
            case "/signin": .json(#"{"token": "fresh", "accountInfo": {"accountType": "user"}}"#)
            case "/fruits": .json(#"{"values": [{"name": "kiwi", "size": 1, "color": "green"}]}"#)
            default: .json(#"{"name": "kiwi", "size": 1, "color": "green"}"#)
            }
        }
        let configuration = makeConfiguration(transport)
        try await RestConfiguration.withCurrent(configuration) {
            let (basket, market) = (Basket(), Market())
            try await values(basket)
            try await operators(basket, market)
            try await signIn(basket)
        }
        #expect(
            transport.requests.map { "\($0.method) \($0.target)" } == [
                "GET /fruitoftheday", "POST /fruitoftheday", "GET /fruits?limit=3", "POST /fruitoftheday",
                "GET /fruits?limit=10", "POST /fruitoftheday", "POST /signin", "GET /fruitoftheday",
            ])
        #expect(transport.requests.last?["Authorization"] == "Bearer fresh")
    }

    private func values(_ basket: Basket) async throws {
        print(basket.fruit.name)
        let fresh = try await basket.$fruit.get().value
        _ = try await basket.$fruit.post(Fruit(name: "kiwi", size: 1, color: "green")).value
        #expect(fresh.name == "kiwi")

        basket.$fruit.update { fruit in fruit = Fruit(name: fruit.name, size: fruit.size + 1, color: fruit.color) }
        #expect(basket.fruit.size == 2)
    }

    private func operators(_ basket: Basket, _ market: Market) async throws {
        _ = try await (market.$fruits ++ ["limit": 3])>?.value
        _ = try await (basket.$fruit<! ->> market.$fruits>?).value
        _ = try await (basket.$fruit <- Fruit(name: "fig", size: 1, color: "blue")).value
        #expect(basket.fruit.name == "fig")
    }

    private func signIn(_ basket: Basket) async throws {
        @Rest(path: "signin", bearer: false) var account = Account(email: "", password: "")
        $account.email.wrappedValue = "ada@example.com"
        $account.password.wrappedValue = "secret"
        _ = try await ($account<! ->> basket.$fruit>?).value
    }

    /// Cancelled before it is sent, or after: nothing comes either way.
    @Test func theSubscriptionIsCancelled() {
        let basket = RestConfiguration.withCurrent(makeConfiguration(ScriptedTransport())) { Basket() }
        let cancellable = basket.$fruit.get().sink { completion in
            print(completion)
        } receiveValue: { fruit in
            print(fruit.name)
        }
        cancellable.cancel()
        #expect(basket.fruit.name == "strawberry")
    }

    /// The one test that changes what the process shares.
    @Test func theSharedConfigurationIsSet() async throws {
        let folder = try TemporaryFolder()
        let file = folder["token"]
        defer {
            RestConfiguration.baseURL = ""
            RestConfiguration.shared.tokenStore = MemoryTokenStore()
        }
        RestConfiguration.baseURL = "https://api.example.com/v1"
        RestConfiguration.shared.tokenStore = FileTokenStore(file)
        #expect(Basket().$fruit.metadata.configuration.baseURL == "https://api.example.com/v1")
        #expect(RestConfiguration.host == "api.example.com")
        #expect(try await Basket().$fruit.metadata.configuration.tokenStore.load() == nil)
    }

    @Test func theTestIsOne() async throws {
        let scripted = ScriptedTransport(.json(#"{"name": "fig", "size": 1, "color": "blue"}"#))
        let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: scripted))
        let configuration = RestConfiguration(baseURL: "https://api.test", client: client)
        configuration.sendsAnonymously = true
        let tested = RestConfiguration.withCurrent(configuration) { Basket() }
        #expect(try await tested.$fruit.get().value.name == "fig")
    }
}
