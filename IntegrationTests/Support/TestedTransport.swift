// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataCurl
import StrataNative
import StrataURLSession
import Testing

/// The transports that what is above them is tried over.
enum TestedTransport: String, CaseIterable, CustomTestStringConvertible {
    case curl, native, urlSession

    var testDescription: String { rawValue }

    /// A transport for the time of `work`.
    func run(_ work: (any NetworkTransport) async throws -> Void) async throws {
        let transport: any NetworkTransport =
            switch self {
            case .curl: CurlTransport()
            case .native: NativeTransport()
            case .urlSession: URLSessionTransport()
            }
        try await transport.thenShutDown(work)
    }
}
