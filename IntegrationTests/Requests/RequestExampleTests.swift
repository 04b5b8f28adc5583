// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import RequestsExamples
import StrataCurl
import StrataRequests
import StrataURLSession
import Testing

/// The numbered examples of the result-builder style, over every transport.
@Suite struct RequestExampleTests {
    enum Transport: String, CaseIterable, CustomTestStringConvertible {
        case curl, urlSession

        var testDescription: String { rawValue }

        var made: any NetworkTransport {
            switch self {
            case .curl: CurlTransport()
            case .urlSession: URLSessionTransport()
            }
        }
    }

    private func run(_ transport: Transport, _ example: () async throws -> Void) async throws {
        try await EchoServer.withServer { server in
            let relay = EchoRelay(transport.made, to: "127.0.0.1:\(server.port)")
            let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: relay))
            try await Request.withClient(client) { try await example() }
            await relay.shutdown()
        }
    }

    @Test(arguments: Transport.allCases) func s4_1(_ transport: Transport) async throws {
        try await run(transport, SeedExamples.s4_1)
    }

    @Test(arguments: Transport.allCases) func s4_2(_ transport: Transport) async throws {
        try await run(transport, SeedExamples.s4_2)
    }

    @Test(arguments: Transport.allCases) func s4_3(_ transport: Transport) async throws {
        try await run(transport, SeedExamples.s4_3)
    }

    @Test(arguments: Transport.allCases) func s4_4(_ transport: Transport) async throws {
        try await run(transport, SeedExamples.s4_4)
    }

    @Test(arguments: Transport.allCases) func s4_5(_ transport: Transport) async throws {
        try await run(transport, SeedExamples.s4_5)
    }

    @Test(arguments: Transport.allCases) func s4_6(_ transport: Transport) async throws {
        try await run(transport, SeedExamples.s4_6)
    }

    @Test(arguments: Transport.allCases) func s4_7(_ transport: Transport) async throws {
        try await run(transport, SeedExamples.s4_7)
    }

    @Test(arguments: Transport.allCases) func s4_8(_ transport: Transport) async throws {
        try await run(transport, SeedExamples.s4_8)
    }

    @Test(arguments: Transport.allCases) func s4_9(_ transport: Transport) async throws {
        try await run(transport, SeedExamples.s4_9)
    }
}
