// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import StrataCore
import StrataCurl
import StrataEncoding
import StrataURLSession
import Testing

/// The transports that middleware are tried over.
enum MiddlewareTransport: String, CaseIterable, CustomTestStringConvertible {
    case curl, urlSession

    var testDescription: String { rawValue }

    private func make() -> any NetworkTransport {
        switch self {
        case .curl: CurlTransport()
        case .urlSession: URLSessionTransport()
        }
    }

    /// A client of an echo server of its own.
    func run(
        _ middleware: [any NetworkMiddleware], _ work: (NetworkClient) async throws -> Void
    ) async throws {
        try await EchoServer.withServer { server in
            let transport = make()
            let client = NetworkClient(
                configuration: NetworkConfiguration(
                    baseURL: URL(string: server.url), transport: transport, middleware: middleware))
            do {
                try await work(client)
            } catch {
                await transport.shutdown()
                throw error
            }
            await transport.shutdown()
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
