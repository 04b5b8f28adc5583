// SPDX-License-Identifier: Apache-2.0

import StrataRest
import SwiftUI

// The views of the document that `@Rest` comes from, as they stand there.

struct Account: Codable {
    var email: String
    var password: String
}

struct Fruit: Codable {
    let name: String
    let size: Int
    let color: String
}

struct Fruits: ParentCodable {
    var values: [Fruit] = []

    static func wrap(child: [Fruit]) -> Self {
        return Fruits(values: child)
    }
}

struct SignInView: View {
    @Rest(path: "signin", bearer: false) var account: Account = Account(email: "", password: "")

    private var cancelable: RestMutableValueReference<AnyCancellable?> = RestMutableValueReference(value: nil)

    var body: some View {
        TextField("Email placeholder", text: self.$account.email)
        TextField("Password placeholder", text: self.$account.password)
        Button("Sign In") {
            cancelable.update(with: self.$account>?.sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
        }
    }
}

struct FruitView: View {
    @Rest(path: "fruitoftheday") var fruit: Fruit = Fruit(name: "strawberry", size: 3, color: "red")

    private var cancelable: RestMutableValueReference<AnyCancellable?> = RestMutableValueReference(value: nil)

    var body: some View {
        Text(fruit.name)
            .onAppear {
                cancelable.update(
                    with: self.$fruit>?
                        .sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
            }
    }
}

struct FruitsView: View {
    @Rest(path: "fruits", params: ["limit": 10], parent: Fruits.self, prop: \.values) var fruits: [Fruit] = []

    private var cancelable: RestMutableValueReference<AnyCancellable?> = RestMutableValueReference(value: nil)

    var body: some View {
        Text(fruits[0].name)
            .onAppear {
                cancelable.update(
                    with: self.$fruits>?
                        .sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
            }
    }
}

struct SignUpView: View {
    @Rest(path: "signup") var account: Account = Account(email: "", password: "")

    private var cancelable: RestMutableValueReference<AnyCancellable?> = RestMutableValueReference(value: nil)
    let someNewAccount = Account(email: "ada@example.com", password: "secret")

    var body: some View {
        TextField("Email placeholder", text: self.$account.email)
        TextField("Password placeholder", text: self.$account.password)
        Button("Sign Up") {
            cancelable.update(
                with: self.$account<!
                    .sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
        }
        Button("Sign up as somebody else") {
            cancelable.update(
                with: (self.$account <- someNewAccount)
                    .sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
        }
    }
}

/// Today's way, and what only Apple's platforms have.
struct ModernView: View {
    @Rest(path: "fruitoftheday") var fruit = Fruit(name: "", size: 0, color: "")
    let configuration = RestConfiguration(
        host: "api.example.com", tokenStore: KeychainTokenStore(service: "com.example.app"))

    var body: some View {
        Text(fruit.name)
            .task { _ = try? await $fruit.get().value }
    }
}
