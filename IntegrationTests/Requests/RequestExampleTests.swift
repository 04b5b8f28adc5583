// SPDX-License-Identifier: Apache-2.0

import Foundation
import RequestsExamples
import SeedSupport
import StrataRequests
import Testing

/// The numbered examples of the result-builder style, over every transport.
@Suite struct RequestExampleTests {
    @Test(arguments: RequestExample.all, TestedTransport.allCases)
    func theExample(_ example: RequestExample, over transport: TestedTransport) async throws {
        try await EchoTarget.withServer { server in
            try await transport.run { transport in
                let relay = EchoRelay(transport, to: server.authority)
                let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: relay))
                try await Request.withClient(client) { try await example.run() }
            }
        }
    }
}
