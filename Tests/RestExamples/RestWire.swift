// SPDX-License-Identifier: Apache-2.0

import Foundation
package import SeedSupport
package import StrataCore
import StrataEncoding
package import StrataRest
import StrataTesting
import Synchronization

/// What an example wants to be answered.
package enum WireAnswer: Sendable {
    case json(String)
    case status(Int)
}

/// Stands between the properties of an example and a server: notes what arrives there, and has the answers given that the example
/// wants, in their order.
package final class RestWire: NetworkTransport {
    package typealias Carry = @Sendable (TransportRequest, WireAnswer) async throws -> (Echo, TransportResponse)

    private struct State {
        var answers: [WireAnswer] = []
        var arrived: [Echo] = []
    }

    package let capabilities: TransportCapabilities
    private let carry: Carry
    private let state = Mutex(State())

    /// - Parameter carry: brings a request to the server, and the answer back.
    package init(_ capabilities: TransportCapabilities, carry: @escaping Carry) {
        self.capabilities = capabilities
        self.carry = carry
    }

    /// Without a network.
    package static func scripted() -> RestWire {
        RestWire(ScriptedTransport().capabilities) { request, answer in
            let script: ScriptedTransport =
                switch answer {
                case .json(let text): ScriptedTransport(.json(text))
                case .status(let code): ScriptedTransport(.status(code))
                }
            let response = try await script.send(request)
            let seen = script.requests[0]
            return (Echo(seen.head, body: seen.body), response)
        }
    }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        let answer = state.withLock { $0.answers.isEmpty ? .status(500) : $0.answers.removeFirst() }
        let (arrived, response) = try await carry(request, answer)
        state.withLock { $0.arrived.append(arrived) }
        return response
    }

    /// The requests so far, in the order of their answers.
    package var arrived: [Echo] { state.withLock(\.arrived) }

    /// Makes an example's properties, with the token `T` stored unless told otherwise; they get these answers.
    package func properties<Properties>(
        token: String? = "T", answers: WireAnswer..., make: (RestConfiguration) throws -> Properties
    ) rethrows -> Properties {
        state.withLock { $0.answers = answers }
        let stored = token.map { RestBearerToken(value: $0, type: RestBearerType(value: "user")) }
        let configuration = RestConfiguration(
            host: "api.example.com",
            client: NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: self)),
            tokenStore: MemoryTokenStore(stored.flatMap { try? JSONEncoder().encode($0) }))
        return try RestConfiguration.withCurrent(configuration) { try make(configuration) }
    }
}
