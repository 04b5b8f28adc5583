// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Harness
import NIOCore
import NIOPosix

/// AsyncHTTPClient under the same load: `url=… c=64 n=20000 warm=2000`.
@main
struct PeerBench {
    static func main() async throws {
        let arguments = Arguments()
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1024
        configuration.tlsConfiguration = .clientDefault
        configuration.tlsConfiguration?.certificateVerification = .none
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
        let url = arguments.text("url", "http://127.0.0.1:18080/1k")
        let measurement = Measurement(
            name: arguments.text("name", "async-http-client"), concurrency: arguments.number("c", 64),
            count: arguments.number("n", 20000), warmUp: arguments.number("warm", 2000))
        try await measurement.run {
            let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
            return try await response.body.collect(upTo: 200 << 20).readableBytes
        }
        try await client.shutdown()
        try await group.shutdownGracefully()
    }
}
