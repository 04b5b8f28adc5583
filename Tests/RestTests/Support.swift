// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataRest
import StrataTesting

struct Fruit: Codable, Equatable {
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

struct Account: Codable, Equatable {
    var email: String
    var password: String
}

let token = RestBearerToken(value: "T", type: RestBearerType(value: "user"))

/// A configuration over a script, with the token `T` stored unless told otherwise.
func makeConfiguration(_ transport: ScriptedTransport, token stored: RestBearerToken? = token) -> RestConfiguration {
    RestConfiguration(
        host: "api.example.com",
        client: NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: transport)),
        tokenStore: MemoryTokenStore(stored.flatMap { try? JSONEncoder().encode($0) }))
}

extension RestConfiguration {
    var storedToken: RestBearerToken? {
        get async throws { try await tokenStore.load(as: RestBearerToken.self) }
    }
}
