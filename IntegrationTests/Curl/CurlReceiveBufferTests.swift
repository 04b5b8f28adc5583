// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataCurl
import StrataTesting
import Testing

struct CurlReceiveBufferTests {
    /// libcurl takes what it can do, and its default for less than 1.
    @Test(arguments: [-1, 0, 1, 1024, 1 << 20, .max]) func noSizeIsRefused(_ size: Int) async throws {
        let text = String(repeating: "abcdefghijklmnopqrstuvw", count: 20_000)
        try await RawServer.withServer(script: [.readRequest, .respond(body: text)]) { server in
            try await withCurl({ $0.receiveBuffer = size }) { transport in
                expectEqual(try await transport.text(.get, server.url), text)
            }
        }
    }
}
