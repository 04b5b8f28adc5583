// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import Testing

@testable import StrataTesting

/// Requests that a server took and did not answer.
struct CurlLostRequestTests {
    @Test func isNotUnprocessedWhenTheServerHasGone() async throws {
        let server = try RawServer.start(script: [.readRequest, .respond(body: "one"), .readRequest, .hang])
        defer { server.stop() }
        try await withCurl { transport in
            expectEqual(try await transport.text(.get, server.url), "one")
            let call = Task { try await transport.text(.post, server.url, body: .data(Data("order".utf8))) }
            try await server.wait(within: .seconds(30)) { $0.requests.last?.body == Array("order".utf8) }
            server.stop()
            let error = await #expect(throws: NetworkClientError.self) { try await call.value }
            #expect(error?.code == .connectionLost)
            #expect(error?.isUnprocessed == false)
        }
    }

    /// libcurl begins again then, and is kept from it.
    @Test func isLostWhenTheServerAsksForHTTP1InTheMiddleOfItsAnswer() async throws {
        let server = try RawServer.start(streams: [
            [
                .fields([":status": "200"]), .data("part", ends: false), .wait(.milliseconds(50)),
                .reset(.http11Required),
            ]
        ])
        defer { server.stop() }
        try await withCurl { transport in
            var request = try TransportRequest(url: server.url)
            request.options.httpVersion = .http2PriorKnowledge
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.send(request).body.collect()
            }
            #expect(error?.code == .connectionLost)
        }
    }

    /// An old libcurl does not look at the connection while there is nothing to send.
    @Test(arguments: [RawScript.Step.close, .reset])
    func isLostWhenTheServerGoesWhileTheBodyIsSilent(_ end: RawScript.Step) async throws {
        try await RawServer.withServer(script: [.readHead, .wait(.milliseconds(100)), end]) { server in
            try await withCurl { transport in
                var request = try TransportRequest(method: .post, url: server.url)
                request.body = .stream(isReplayable: false) { SilentSource() }
                request.options.timeouts.attempt = .seconds(20)
                let error = await #expect(throws: NetworkClientError.self) { try await transport.send(request) }
                #expect(error?.code == .connectionLost)
            }
        }
    }
}
