// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import StrataCore
import StrataCurl
import StrataEncoding
import StrataMiddleware
import StrataStreaming

let client = NetworkClient(
    configuration: NetworkConfiguration(
        baseURL: URL(string: "http://127.0.0.1:1"), transport: CurlTransport(), middleware: [LoggingMiddleware()]))
do {
    _ = try await client.run(NetworkRequest<VoidRequest, [String: Int]>(path: "x", method: .get))
} catch {
    print(error)
}
