// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import StrataEncoding
import StrataTesting
import Testing

struct CurlMetricsTests {
    @Test func theRecordTellsAllOfABodyThatWasStreamed() async throws {
        let size = 5_000_000
        let script: RawScript = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"), .wait(.milliseconds(50)),
            .send([UInt8](repeating: 0x61, count: size)), .hang,
        ]
        try await RawServer.withServer(script: script) { server in
            try await withCurl { transport in
                let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: transport))
                let response = try await client.run(NetworkRequest<VoidRequest, Data>(path: server.url, method: .get))
                #expect(response.value.count == size)
                let metrics = try #require(response.exchange.attempts.last?.metrics)
                #expect(metrics.encodedBytesReceived == Int64(size))
                #expect(try #require(metrics.firstByte) < #require(metrics.total))
            }
        }
    }
}
