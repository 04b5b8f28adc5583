// SPDX-License-Identifier: Apache-2.0

import SeedSupport
import StrataCore
import StrataRest
import Testing

// S1.2 to S1.8: a harness stands in each view's place, which holds the property and presses the button.

extension RestExample {
    struct SignInView {
        @Rest(path: "signin", bearer: false) var account: Account = Account(email: "", password: "")
        private var cancelable: RestMutableValueReference<AnyCancellable?> = RestMutableValueReference(value: nil)

        func signIn(_ done: @escaping @Sendable (Bool) -> Void) {
            cancelable.update(
                with: self.$account<!.sink(
                    receiveCompletion: { if case .failure = $0 { done(false) } }, receiveValue: { _ in done(true) }))
        }

        /// The document's operator gets, where it means to post.
        func signInByTheLetter(_ done: @escaping @Sendable (Bool) -> Void) {
            cancelable.update(
                with: self.$account>?.sink(
                    receiveCompletion: { if case .failure = $0 { done(false) } }, receiveValue: { _ in done(true) }))
        }
    }

    private static let token = #"{"token": "new", "accountInfo": {"accountType": "admin"}}"#

    static func S1_2_authentication(_ wire: RestWire) async throws {
        let (view, configuration) = wire.properties(token: nil, answers: .json(token)) { (SignInView(), $0) }
        view.$account.email.wrappedValue = "a@b.c"
        view.$account.password.wrappedValue = "p+w"
        #expect(await press(view.signIn))
        let arrived = try #require(wire.arrived.first)
        #expect("\(arrived)" == "POST /signin")
        #expect(arrived["Authorization"] == nil)
        #expect(arrived["Content-Type"] == "application/json")
        #expect(try arrived.model() == Account(email: "a@b.c", password: "p+w"))
        #expect(view.account == Account(email: "a@b.c", password: "p+w"))
        let stored = try await configuration.tokenStore.load(as: RestBearerToken.self)
        #expect(stored?.value == "new" && stored?.type.value == "admin")
    }

    static func S1_2_authenticationByTheLetter(_ wire: RestWire) async throws {
        let (view, configuration) = wire.properties(token: nil, answers: .json(token)) { (SignInView(), $0) }
        view.account.email = "a@b.c"
        #expect(await press(view.signInByTheLetter))
        let arrived = try #require(wire.arrived.first)
        #expect("\(arrived)" == "GET /signin")
        #expect(arrived["Authorization"] == nil && arrived["Content-Type"] == nil && arrived.body.isEmpty)
        #expect(view.account.email == "a@b.c")
        #expect(try await configuration.tokenStore.load(as: RestBearerToken.self)?.value == "new")
    }

    struct FruitView {
        @Rest(path: "fruitoftheday") var fruit: Fruit = Fruit(name: "strawberry", size: 3, color: "red")
        private var cancelable: RestMutableValueReference<AnyCancellable?> = RestMutableValueReference(value: nil)

        func appear(_ done: @escaping @Sendable (Bool) -> Void) {
            cancelable.update(
                with: self.$fruit>?
                    .sink(
                        receiveCompletion: { if case .failure = $0 { done(false) } },
                        receiveValue: { done($0 == .banana) }))
        }
    }

    static func S1_3_get(_ wire: RestWire) async throws {
        let view = try wire.properties(answers: .json(of: Fruit.banana)) { _ in FruitView() }
        #expect(wire.arrived.isEmpty)
        #expect(view.fruit == .strawberry)
        #expect(await press(view.appear))
        #expect(view.fruit == .banana)
        let arrived = try #require(wire.arrived.first)
        #expect(wire.arrived.count == 1)
        #expect("\(arrived)" == "GET /fruitoftheday")
        #expect(arrived["Authorization"] == "Bearer T")
        #expect(arrived["Accept"] == "application/json")
        #expect(arrived["Content-Type"] == nil && arrived.body.isEmpty)
    }

    struct FruitsView {
        @Rest(path: "fruits", params: ["limit": 10]) var fruits: Fruits = Fruits()
    }

    static func S1_4_getWithParameters(_ wire: RestWire) async throws {
        let all = Fruits(values: [.strawberry, .banana])
        let view = try wire.properties(answers: .json(of: all)) { _ in FruitsView() }
        let value = try await (view.$fruits>?).value
        #expect(value == all)
        #expect(view.fruits.values[0].name == "strawberry")
        #expect(wire.arrived.map(\.description) == ["GET /fruits?limit=10"])
    }

    struct PartView {
        @Rest(path: "fruits", parent: Fruits.self, prop: \.values) var fruits: [Fruit] = []
    }

    static func S1_5_getWithKeyPath(_ wire: RestWire) async throws {
        let view = try wire.properties(answers: .json(of: Fruits(values: [.banana])), .status(201)) { _ in PartView() }
        let value = try await (view.$fruits>?).value
        #expect(value == [.banana])
        #expect(view.fruits[0].name == "banana")
        // What is posted is the whole around the part.
        _ = try await (view.$fruits <- [.strawberry]).value
        #expect(view.fruits == [.strawberry])
        #expect(wire.arrived.map(\.description) == ["GET /fruits", "POST /fruits"])
        #expect(try wire.arrived.last?.model() == Fruits(values: [.strawberry]))
    }

    struct PartWithParametersView {
        @Rest(path: "fruits", params: ["limit": 10], parent: Fruits.self, prop: \.values) var fruits: [Fruit] = []
    }

    static func S1_6_getWithParametersAndKeyPath(_ wire: RestWire) async throws {
        let answer = try WireAnswer.json(of: Fruits(values: [.banana]))
        let view = wire.properties(answers: answer, .status(200)) { _ in PartWithParametersView() }
        _ = try await (view.$fruits>?).value
        #expect(view.fruits == [.banana])
        _ = try await (view.$fruits<!).value
        #expect(wire.arrived.map(\.description) == ["GET /fruits?limit=10", "POST /fruits"])
    }

    struct SignUpView {
        @Rest(path: "signup") var account: Account = Account(email: "", password: "")
        private var cancelable: RestMutableValueReference<AnyCancellable?> = RestMutableValueReference(value: nil)

        func signUp(_ done: @escaping @Sendable (Bool) -> Void) {
            cancelable.update(
                with: self.$account<!
                    .sink(
                        receiveCompletion: { if case .failure = $0 { done(false) } },
                        receiveValue: { done($0.email == "a@b.c") }))
        }

        func signUp(_ someNewAccount: Account, _ done: @escaping @Sendable (Bool) -> Void) {
            cancelable.update(
                with: (self.$account <- someNewAccount)
                    .sink(
                        receiveCompletion: { if case .failure = $0 { done(false) } },
                        receiveValue: { done($0.email == "new") }))
        }
    }

    static func S1_7_postOfTheExistingValue(_ wire: RestWire) async throws {
        let view = wire.properties(answers: .status(201)) { _ in SignUpView() }
        view.$account.email.wrappedValue = "a@b.c"
        #expect(await press { view.signUp($0) })
        let arrived = try #require(wire.arrived.first)
        #expect("\(arrived)" == "POST /signup")
        #expect(arrived["Authorization"] == "Bearer T")
        #expect(arrived["Content-Type"] == "application/json")
        #expect(try arrived.model() == Account(email: "a@b.c", password: ""))
    }

    static func S1_8_postOfANewValue(_ wire: RestWire) async throws {
        let new = Account(email: "new", password: "p")
        let view = wire.properties(answers: .status(403), .status(201)) { _ in SignUpView() }
        // The value is the new one when the server has accepted it, and not before.
        #expect(await press { view.signUp(new, $0) } == false)
        #expect(view.account == Account(email: "", password: ""))
        #expect(await press { view.signUp(new, $0) })
        #expect(view.account == new)
        #expect(try wire.arrived.map { try $0.model(Account.self) } == [new, new])
    }
}
