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

    // MARK: Which answers are taken for a token

    private static let fresh = #"{"token": "fresh", "accountInfo": {"accountType": "user"}}"#

    /// A call without a token, and the token that is stored after it.
    private func stored(
        _ replies: ScriptedReply..., before: RestBearerToken? = token, bearer: Bool = false,
        _ call: (RestQueryImpl<Account, Account>) -> RestQueryResult<RestQueryImpl<Account, Account>>
    ) async throws -> String? {
        let configuration = makeConfiguration(ScriptedTransport(replies), token: before)
        let property = Rest<Account, Account>(
            wrappedValue: Account(email: "", password: ""), path: "signin", bearer: bearer, configuration: configuration
        )
        _ = try? await call(property.projectedValue).value
        return try await configuration.storedToken?.value
    }

    @Test func theAnswerToAPostReplacesTheToken() async throws {
        #expect(try await stored(.json(Self.fresh)) { $0.post() } == "fresh")
        #expect(try await stored(.json(Self.fresh)) { $0.post(Account(email: "a", password: "b")) } == "fresh")
        #expect(try await stored(.json(Self.fresh), before: nil) { $0.post() } == "fresh")
    }

    @Test func theAnswerToAGetReplacesNoToken() async throws {
        #expect(try await stored(.json(Self.fresh)) { $0.get() } == "T")
        #expect(try await stored(.json(Self.fresh), before: nil) { $0.get() } == "fresh")
    }

    @Test func aCallWithATokenStoresNone() async throws {
        #expect(try await stored(.json(Self.fresh), bearer: true) { $0.get() } == "T")
        #expect(try await stored(.json(Self.fresh), bearer: true) { $0.post() } == "T")
    }

    @Test(
        arguments: [
            "https://evil.example/t", "//evil.example/t", "https://api.example.com:444/t",
            "https://api.example.com.evil.example/t",
        ], [302, 303, 307])
    func theAnswerOfAnotherOriginIsNoToken(location: String, status: Int) async throws {
        for before in [token, nil] {
            #expect(
                try await stored(.redirect(status, to: location), .json(Self.fresh), before: before) { $0.post() }
                    == before?.value)
            #expect(
                try await stored(.redirect(status, to: location), .json(Self.fresh), before: before) { $0.get() }
                    == before?.value)
        }
    }

    @Test(arguments: ["/t", "https://api.example.com/t", "https://API.example.com:443/t"])
    func theAnswerOfTheSameOriginIsOne(location: String) async throws {
        #expect(try await stored(.redirect(307, to: location), .json(Self.fresh)) { $0.post() } == "fresh")
    }
}
