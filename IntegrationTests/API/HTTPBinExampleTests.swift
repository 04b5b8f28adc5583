// SPDX-License-Identifier: Apache-2.0

import APIExamples
import StrataAPI
import Testing

/// The example client's own tests: against our server and, when `STRATA_HTTPBIN_URL` names one, the real httpbin.
@Suite(.timeLimit(.minutes(2)))
struct HTTPBinExampleTests {
    @Test(arguments: HTTPBinExample.all, TestedTransport.allCases)
    func againstTheEchoServer(_ example: HTTPBinExample, over transport: TestedTransport) async throws {
        try await EchoTarget.withServer { server in
            try await transport.run { try await example.run(Provider(baseURL: server.url, transport: $0)) }
        }
    }

    @Test(.httpbin, arguments: HTTPBinExample.all, TestedTransport.allCases)
    func againstHTTPBin(_ example: HTTPBinExample, over transport: TestedTransport) async throws {
        let url = try #require(HTTPBin.url)
        try await transport.run { try await example.run(Provider(baseURL: url, transport: $0)) }
    }
}
