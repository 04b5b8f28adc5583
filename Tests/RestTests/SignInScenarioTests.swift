// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataRest
import StrataTesting
import TestSupport
import Testing

struct SignInScenarioTests {
    @Test func signsInStoresTheTokenAndUsesIt() async throws {
        let transport = ScriptedTransport { request in
            switch (request.path, request["Authorization"]) {
            case ("/signin", nil): .json(#"{"token": "fresh", "accountInfo": {"accountType": "user"}}"#)
            case ("/fruit", "Bearer fresh"): .json(#"{"name": "kiwi", "size": 1, "color": "green"}"#)
            default: .status(401)
            }
        }
        try await RestConfiguration.withCurrent(makeConfiguration(transport, token: nil)) {
            @Rest(path: "signin", bearer: false) var account = Account(email: "", password: "")
            @Rest(path: "fruit") var fruit = Fruit(name: "", size: 0, color: "")
            $account.email.wrappedValue = "a@b.c"
            $account.password.wrappedValue = "secret"
            _ = try await ($account<! ->> $fruit>?).value
            #expect(fruit.name == "kiwi")
        }
    }
}
