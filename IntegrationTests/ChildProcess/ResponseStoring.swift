// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCache
import StrataCore
import StrataDiskCache
import StrataEncoding
import StrataTesting

/// Stores responses in a folder until the process is killed: what a `DiskStore` has left behind then is looked at by a test.
enum ResponseStoring {
    static func run(in folder: String, seed: Int) async throws {
        // Not much room, so that entries go as well as come.
        let store = DiskStore(folder: URL(fileURLWithPath: folder, isDirectory: true), limit: 3_000_000)
        let transport = ScriptedTransport { request in
            .status(200, fields: [.cacheControl: "max-age=100000"], body: StoredBody.make(for: request.head.path ?? ""))
        }
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://api.example"), transport: transport,
                middleware: [CacheMiddleware(store: store)]))
        var generator = SeededGenerator(seed: UInt64(seed))
        ChildProcess.say("begun")
        while true {
            let path = "/\(Int.random(in: 0..<400, using: &generator))"
            let response = try await client.execute(TransportRequest(url: "https://api.example\(path)"))
            guard try await response.body.collect() == StoredBody.make(for: path) else { fatalError("a torn body") }
            switch Int.random(in: 0..<60, using: &generator) {
            case 0: await store.remove(url: "https://api.example\(path)")
            case 1: await store.flush()
            default: break
            }
        }
    }
}
