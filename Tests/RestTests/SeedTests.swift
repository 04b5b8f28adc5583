// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataRest
import StrataTesting
import Testing

/// The numbered examples of the seed, with a harness in the view's place that holds the property and taps its button.
struct SeedTests {
    private let strawberry = #"{"name": "strawberry", "size": 3, "color": "red"}"#
    private let banana = #"{"name": "banana", "size": 5, "color": "yellow"}"#

    /// Waits until what the view's button began has come to its end.
    private func settle(_ begin: (@escaping @Sendable (Bool) -> Void) -> Void) async -> Bool {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        begin {
            continuation.yield($0)
            continuation.finish()
        }
        for await outcome in stream { return outcome }
        return false
    }

    @Test func S1_1_propertyAccess() {
        @Rest(path: "fruitoftheday") var fruit: Fruit = Fruit(name: "strawberry", size: 3, color: "red")
        #expect(fruit == Fruit(name: "strawberry", size: 3, color: "red"))
        #expect($fruit.wrappedValue == fruit)
        let query: RestQueryImpl<Fruit, Fruit> = $fruit
        #expect(query.metadata.path == "fruitoftheday")
        let binding: Binding<Fruit> = $fruit.projectedValue
        #expect(binding.wrappedValue == fruit)
        let name: Binding<String> = $fruit.name
        #expect(name.wrappedValue == "strawberry")
        name.wrappedValue = "kiwi"
        #expect(fruit.name == "strawberry")
    }

    struct SignInView {
        @Rest(path: "signin", bearer: false) var account: Account = Account(email: "", password: "")
        private var cancelable: RestMutableValueReference<AnyCancellable?> = RestMutableValueReference(value: nil)

        func signIn(_ done: @escaping @Sendable (Bool) -> Void) {
            cancelable.update(
                with: self.$account<!.sink(
                    receiveCompletion: { if case .failure = $0 { done(false) } else { done(true) } },
                    receiveValue: { _ in }))
        }

        func literally(_ done: @escaping @Sendable (Bool) -> Void) {
            cancelable.update(
                with: self.$account>?.sink(
                    receiveCompletion: { if case .failure = $0 { done(false) } else { done(true) } },
                    receiveValue: { _ in }))
        }
    }

    @Test func S1_2_authentication() async throws {
        let reply = ScriptedReply.json(#"{"token": "new", "accountInfo": {"accountType": "admin"}}"#)
        for isLiteral in [true, false] {
            let transport = ScriptedTransport(reply)
            let configuration = makeConfiguration(transport, token: nil)
            let view = RestConfiguration.withCurrent(configuration) { SignInView() }
            view.$account.email.wrappedValue = "a@b.c"
            view.$account.password.wrappedValue = "pw"
            #expect(view.account == Account(email: "a@b.c", password: "pw"))
            #expect(await settle { isLiteral ? view.literally($0) : view.signIn($0) })
            let wire = Wire(transport.requests[0])
            if isLiteral {
                #expect(wire == Wire("GET /signin", authorization: nil))
            } else {
                #expect(wire.line == "POST /signin" && wire.authorization == nil)
                #expect(try JSONDecoder().decode(Account.self, from: transport.requests[0].body) == view.account)
            }
            #expect(try configuration.tokenStore.token()?.value == "new")
            #expect(view.account.email == "a@b.c")
        }
    }

    struct FruitView {
        @Rest(path: "fruitoftheday") var fruit: Fruit = Fruit(name: "strawberry", size: 3, color: "red")
        private var cancelable: RestMutableValueReference<AnyCancellable?> = RestMutableValueReference(value: nil)

        func appear(_ done: @escaping @Sendable (Bool) -> Void) {
            cancelable.update(
                with: self.$fruit>?
                    .sink(receiveCompletion: { _ in done(true) }, receiveValue: { _ in }))
        }
    }

    @Test func S1_3_get() async throws {
        let transport = ScriptedTransport(.json(banana))
        let view = RestConfiguration.withCurrent(makeConfiguration(transport)) { FruitView() }
        #expect(transport.requests.isEmpty)
        #expect(await settle(view.appear))
        #expect(view.fruit == Fruit(name: "banana", size: 5, color: "yellow"))
        #expect(transport.requests.map(Wire.init) == [Wire("GET /fruitoftheday")])
        #expect(transport.requests[0].url == "https://api.example.com/fruitoftheday")
        #expect(transport.requests[0]["Accept"] == "application/json")
    }

    struct FruitList: Codable {
        var values: [Fruit] = []
    }

    @Test func S1_4_getWithQueryParameters() async throws {
        let transport = ScriptedTransport(.json(#"{"values": [\#(strawberry), \#(banana)]}"#))
        try await RestConfiguration.withCurrent(makeConfiguration(transport)) {
            @Rest(path: "fruits", params: ["limit": 10]) var fruits: FruitList = FruitList()
            _ = try await ($fruits>?).value
            #expect(fruits.values.map(\.name) == ["strawberry", "banana"])
        }
        #expect(transport.requests.map(Wire.init) == [Wire("GET /fruits?limit=10")])
    }

    @Test func S1_5_getWithPropertyKeyPath() async throws {
        let transport = ScriptedTransport(.json(#"{"values": [\#(banana)]}"#))
        try await RestConfiguration.withCurrent(makeConfiguration(transport)) {
            @Rest(path: "fruits", parent: Fruits.self, prop: \.values) var fruits: [Fruit] = []
            let values = try await ($fruits>?).value
            #expect(values == fruits)
            #expect(fruits.map(\.name) == ["banana"])
        }
        #expect(transport.requests.map(Wire.init) == [Wire("GET /fruits")])
    }

    @Test func S1_6_getWithQueryParametersAndKeyPath() async throws {
        let transport = ScriptedTransport(.json(#"{"values": [\#(banana)]}"#))
        try await RestConfiguration.withCurrent(makeConfiguration(transport)) {
            @Rest(path: "fruits", params: ["limit": 10], parent: Fruits.self, prop: \.values) var fruits: [Fruit] = []
            _ = try await ($fruits>?).value
            #expect(fruits.count == 1)
        }
        #expect(transport.requests.map(Wire.init) == [Wire("GET /fruits?limit=10")])
    }

    struct SignUpView {
        @Rest(path: "signup") var account: Account = Account(email: "", password: "")
        private var cancelable: RestMutableValueReference<AnyCancellable?> = RestMutableValueReference(value: nil)

        func signUp(_ done: @escaping @Sendable (Bool) -> Void) {
            cancelable.update(
                with: self.$account<!
                    .sink(receiveCompletion: { _ in }, receiveValue: { done($0.email == "a@b.c") }))
        }

        func signUp(_ someNewAccount: Account, _ done: @escaping @Sendable (Bool) -> Void) {
            cancelable.update(
                with: (self.$account <- someNewAccount)
                    .sink(receiveCompletion: { _ in }, receiveValue: { done($0.email == "new") }))
        }
    }

    @Test func S1_7_postOfTheExistingValue() async throws {
        let transport = ScriptedTransport(.status(201))
        let view = RestConfiguration.withCurrent(makeConfiguration(transport)) { SignUpView() }
        view.$account.email.wrappedValue = "a@b.c"
        #expect(await settle { view.signUp($0) })
        #expect(transport.requests[0]["Authorization"] == "Bearer T")
        #expect(transport.requests[0]["Content-Type"] == "application/json")
        #expect(try JSONDecoder().decode(Account.self, from: transport.requests[0].body).email == "a@b.c")
        #expect(Wire(transport.requests[0]).line == "POST /signup")
    }

    @Test func S1_8_postOfANewValue() async throws {
        let transport = ScriptedTransport(.status(201))
        let view = RestConfiguration.withCurrent(makeConfiguration(transport)) { SignUpView() }
        #expect(await settle { view.signUp(Account(email: "new", password: "p"), $0) })
        #expect(try JSONDecoder().decode(Account.self, from: transport.requests[0].body).email == "new")
        #expect(view.account == Account(email: "new", password: "p"))
    }

    @Test func S1_9_initialiserWithPath() {
        @Rest(path: "somePath") var someProp: Fruit = Fruit(name: "a", size: 1, color: "b")
        #expect($someProp.metadata.path == "somePath" && $someProp.metadata.bearer && $someProp.metadata.params.isEmpty)
    }

    @Test func S1_10_initialiserWithParameters() {
        let someValue = 2.5
        @Rest(path: "somePath", params: ["someKey": someValue]) var someProp: Fruit = Fruit(
            name: "a", size: 1, color: "b")
        #expect($someProp.metadata.params == ["someKey": "2.5"])
    }

    @Test func S1_11_initialiserWithParent() {
        @Rest(path: "somePath", parent: Fruits.self, prop: \.values) var someProp: [Fruit] = []
        #expect(someProp.isEmpty && $someProp.metadata.path == "somePath")
    }

    @Test func S1_12_initialiserWithParametersAndParent() {
        @Rest(path: "somePath", params: ["someKey": true], bearer: false, parent: Fruits.self, prop: \.values)
        var someProp: [Fruit] = []
        #expect(someProp.isEmpty && $someProp.metadata.params == ["someKey": "true"] && !$someProp.metadata.bearer)
    }

    @Test func S1_13_wrappedValue() {
        @Rest(path: "fruitoftheday") var fruit: Fruit = Fruit(name: "strawberry", size: 3, color: "red")
        #expect("\(fruit)".contains("strawberry"))
        #expect(fruit.name == "strawberry")
    }

    @Test func S1_14_projectedValue() {
        @Rest(path: "fruitoftheday") var fruit: Fruit = Fruit(name: "strawberry", size: 3, color: "red")
        #expect($fruit.projectedValue.wrappedValue.color == "red")
        #expect($fruit.size.wrappedValue == 3)
        fruit = Fruit(name: "kiwi", size: 1, color: "green")
        #expect($fruit.projectedValue.wrappedValue.name == "kiwi")
    }
}
