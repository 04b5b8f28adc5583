// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataCurl
import StrataURLSession
import Testing

/// The transports that properties are tried over.
enum RestTransport: String, CaseIterable, CustomTestStringConvertible {
    case curl, urlSession

    var testDescription: String { rawValue }

    func run(_ work: (any NetworkTransport) async throws -> Void) async throws {
        let transport: any NetworkTransport =
            switch self {
            case .curl: CurlTransport()
            case .urlSession: URLSessionTransport()
            }
        do {
            try await work(transport)
        } catch {
            await transport.shutdown()
            throw error
        }
        await transport.shutdown()
    }
}
