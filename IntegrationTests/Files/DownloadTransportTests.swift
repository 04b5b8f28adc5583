// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

/// Downloads over both transports, from a server that breaks off.
struct DownloadTransportTests {
    private let request = NetworkRequest<VoidRequest, VoidResponse>(path: "file", method: .get)

    @Test(arguments: TestedTransport.allCases) func leavesNothingOfABodyThatEndsEarly(_ kind: TestedTransport)
        async throws
    {
        let heads = ["Content-Length: 10\r\n\r\n0123", "Transfer-Encoding: chunked\r\n\r\n4\r\n0123\r\n"]
        for head in heads {
            let script: RawScript = [.readRequest, .send("HTTP/1.1 200 OK\r\n" + head), .close]
            try await RawServer.withServer(script: script) { server in
                try await kind.run(server.url) { client, folder in
                    let error = await #expect(throws: NetworkClientError.self) {
                        try await client.download(request, to: folder["a"])
                    }
                    #expect(error?.code == .connectionLost)
                    expectEqual(try folder.names, [])
                }
            }
        }
    }

    @Test(arguments: TestedTransport.allCases) func goesOnWhereTheConnectionBroke(_ kind: TestedTransport) async throws
    {
        let first: RawScript = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 10\r\n\r\n0123"), .close,
        ]
        let rest: RawScript = [
            .readRequest,
            .send(
                "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Range: bytes 4-9/10\r\nContent-Length: 6\r\n\r\n456789"
            ),
            .close,
        ]
        let server = try RawServer.start(scripts: [first, rest])
        defer { server.stop() }
        try await kind.run(server.url) { client, folder in
            let url = folder["a"]
            await #expect(throws: NetworkClientError.self) {
                try await client.download(request, to: url, options: .resuming)
            }
            let file = try await client.download(request, to: url, options: .resuming)
            #expect(file.resumedFrom == 4)
            expectEqual(try Data(contentsOf: url), Data("0123456789".utf8))
            expectEqual(try folder.names, ["a"])
        }
        #expect(server.log.requests.map { $0.values(of: "range") } == [[], ["bytes=4-"]])
        #expect(server.log.requests.map { $0.values(of: "if-range") } == [[], ["\"v1\""]])
        #expect(server.log.requests.map { $0.values(of: "accept-encoding") } == [["identity"], ["identity"]])
    }
}
