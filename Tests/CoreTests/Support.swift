// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting

/// A client over a script.
func makeClient(
    _ transport: ScriptedTransport, baseURL: String = "https://hostname.com/api/v3",
    middleware: [any NetworkMiddleware] = [], clock: any NetworkClock = VirtualClock(),
    configure: (inout NetworkConfiguration) -> Void = { _ in }
) -> NetworkClient {
    var configuration = NetworkConfiguration(
        baseURL: URL(string: baseURL), transport: transport, middleware: middleware)
    configuration.clock = clock
    configure(&configuration)
    return NetworkClient(configuration: configuration)
}

struct Post: Codable, Hashable, Sendable {
    var id: Int
    var title: String
}

/// A middleware from a closure.
struct Around: NetworkMiddleware {
    var placement = MiddlewarePlacement.anywhere
    let body: @Sendable (TransportRequest, Next) async throws -> TransportResponse

    init(
        _ placement: MiddlewarePlacement = .anywhere,
        _ body: @escaping @Sendable (TransportRequest, Next) async throws -> TransportResponse
    ) {
        self.placement = placement
        self.body = body
    }

    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        try await body(request, next)
    }
}

/// A list that tasks add to.
actor Log {
    private(set) var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
}
