// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Harness
import StrataCache
import StrataCore
import StrataDiskCache
import StrataEncoding

/// Answers at once, with what may be stored.
private struct CannedFresh: NetworkTransport {
    let capabilities = TransportCapabilities(name: "canned", features: .init(rawValue: .max))
    let head = HTTPResponse(
        status: .ok,
        headerFields: [
            .contentType: "application/json", .cacheControl: "max-age=86400", .eTag: "\"a\"", .server: "bench",
        ])
    let body: Data

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(head: head, body: ResponseBody(body))
    }
}

extension Micro {
    /// What an answer from the cache costs, beside one from a transport that costs nothing.
    func caching() async throws {
        let request = try TransportRequest(url: "https://api.example.com/v1/posts")
        func client(_ middleware: [any NetworkMiddleware], bytes: Int) -> NetworkClient {
            NetworkClient(
                configuration: NetworkConfiguration(
                    baseURL: URL(string: "https://api.example.com/v1"),
                    transport: CannedFresh(body: Data(repeating: 0x61, count: bytes)), middleware: middleware))
        }
        for bytes in [1000, 10_000] {
            let plain = client([], bytes: bytes)
            try await measure("execute, \(bytes / 1000) KB canned") { _ = try await plain.execute(request) }
            let memory = client([CacheMiddleware()], bytes: bytes)
            try await measure("execute, \(bytes / 1000) KB from memory") { _ = try await memory.execute(request) }
            let folder = FileManager.default.temporaryDirectory.appending(path: "strata-bench-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let store = DiskStore(folder: folder)
            let disk = client([CacheMiddleware(store: store)], bytes: bytes)
            _ = try await disk.execute(request)
            await store.flush()
            try await measure("execute, \(bytes / 1000) KB from disk", 20_000) { _ = try await disk.execute(request) }
        }
    }
}
