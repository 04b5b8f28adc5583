// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import Testing

extension TestedTransport {
    /// A client of an echo server of its own.
    func run(
        _ middleware: [any NetworkMiddleware], _ work: (NetworkClient) async throws -> Void
    ) async throws {
        try await EchoTarget.withServer { server in
            try await run { transport in
                try await work(
                    NetworkClient(
                        configuration: NetworkConfiguration(
                            baseURL: URL(string: server.url), transport: transport, middleware: middleware)))
            }
        }
    }
}

extension NetworkClient {
    func status(_ method: HTTPMethod = .get, _ path: String, body: String? = nil) async throws -> Int {
        let request = NetworkRequest<String, VoidResponse>(path: path, method: method, body: body) {
            $0.acceptableStatus = .any
        }
        return try await run(request).response.status.code
    }
}
