// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import StrataCache
import StrataCore
import StrataCurl
import StrataDiskCache
import StrataEncoding
import StrataMiddleware
import StrataStreaming

let cache = CacheMiddleware(store: DiskStore(folder: URL(filePath: "/tmp/strata-links")))
let client = NetworkClient(
    configuration: NetworkConfiguration(
        baseURL: URL(string: "http://127.0.0.1:1"), transport: CurlTransport(),
        middleware: [LoggingMiddleware(), cache]))
do {
    _ = try await client.run(NetworkRequest<VoidRequest, [String: Int]>(path: "x", method: .get))
} catch {
    print(error)
}
