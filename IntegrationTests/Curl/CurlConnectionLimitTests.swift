// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataTesting
import Testing

/// A limit of connections to each host.
struct CurlConnectionLimitTests {
    @Test(.timeLimit(.minutes(5))) func aSilentServerHoldsUpNoOtherThatHasAConnection() async throws {
        let silent = try RawServer.start(script: [.readRequest, .hang])
        defer { silent.stop() }
        let server = try RawServer.start(
            script: .forever(.readRequest, .wait(.milliseconds(100)), .respond(body: "hello")))
        defer { server.stop() }
        try await withCurl({ $0.maximumConnectionsPerHost = 1 }) { transport in
            let timeouts = Timeouts(connect: .seconds(600), idle: .seconds(600))
            let waiting = (0..<4).map { _ in
                Task { try await transport.text(.get, silent.url, timeouts: timeouts) }
            }
            try await silent.wait(within: .seconds(30)) { $0.requests.count == 1 }
            try await Task.sleep(for: .milliseconds(100))
            async let first = transport.text(.get, server.url, timeouts: timeouts)
            async let second = transport.text(.get, server.url, timeouts: timeouts)
            expectEqual(try await [first, second], ["hello", "hello"])
            #expect(silent.log.connectionCount == 1)
            for task in waiting { task.cancel() }
            for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
        }
        #expect(server.log.connectionCount == 1)
    }
}
