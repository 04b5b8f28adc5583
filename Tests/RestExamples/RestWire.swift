// SPDX-License-Identifier: Apache-2.0

package import StrataCore
import StrataEncoding
package import StrataRest
import StrataTesting
import Synchronization

/// One request of an example, as it arrived.
package struct ArrivedRequest: Sendable, CustomStringConvertible {
    package var method: String
    /// Path and query.
    package var target: String
    package var authorization: String?
    package var accept: String?
    package var contentType: String?
    package var body: String

    package init(
        method: String, target: String, authorization: String?, accept: String?, contentType: String?, body: String
    ) {
        self.method = method
        self.target = target
        self.authorization = authorization
        self.accept = accept
        self.contentType = contentType
        self.body = body
    }

    /// `GET /fruits?limit=10`
    package var description: String { "\(method) \(target)" }
}

/// What an example wants to be answered.
package enum WireAnswer: Sendable {
    case json(String)
    case status(Int)
}

/// Stands between the properties of an example and a server: notes what arrives there, and has the answers given that the example
/// wants, in their order.
package final class RestWire: NetworkTransport {
    package typealias Carry =
        @Sendable (TransportRequest, WireAnswer) async throws -> (ArrivedRequest, TransportResponse)

    private struct State {
        var answers: [WireAnswer] = []
        var arrived: [ArrivedRequest] = []
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
            let arrived = ArrivedRequest(
                method: seen.method.rawValue, target: seen.target, authorization: seen["Authorization"],
                accept: seen["Accept"], contentType: seen["Content-Type"], body: seen.text)
            return (arrived, response)
        }
    }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        let answer = state.withLock { $0.answers.isEmpty ? .status(500) : $0.answers.removeFirst() }
        let (arrived, response) = try await carry(request, answer)
        state.withLock { $0.arrived.append(arrived) }
        return response
    }

    /// The requests so far, in the order of their answers.
    package var arrived: [ArrivedRequest] { state.withLock(\.arrived) }

    /// Makes an example's properties, with the token `T` stored unless told otherwise; they get these answers.
    package func properties<Properties>(
        token: String? = "T", answers: WireAnswer..., make: (RestConfiguration) throws -> Properties
    ) rethrows -> Properties {
        state.withLock { $0.answers = answers }
        let stored = token.map { RestBearerToken(value: $0, type: RestBearerType(value: "user")) }
        let configuration = RestConfiguration(
            host: "api.example.com",
            client: NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: self)),
            tokenStore: MemoryTokenStore(stored))
        return try RestConfiguration.withCurrent(configuration) { try make(configuration) }
    }
}
