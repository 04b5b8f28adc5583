// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCache
import StrataCore
import StrataDiskCache
import StrataEncoding
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

/// The samples of the page about the cache, as they stand there.
struct CacheGuideTests {
    @Test func theGuideIsCompiled() throws {
        let others: Set = ["StrataCore", "StrataEncoding", "StrataMiddleware"]
        #expect(try GuideSamples.missing(of: "Caching.md", in: #filePath, besides: others) == [])
    }

    @Test func itIsOneLine() {
        let token = "token"
        var configuration = NetworkConfiguration(transport: ScriptedTransport())
        configuration.middleware = [RetryMiddleware(), BearerAuthMiddleware(token: token), CacheMiddleware()]
        #expect(NetworkClient(configuration: configuration).pipelineReport.findings.isEmpty)
    }

    @Test func itMayBeOnDisk() async throws {
        let folder = try TemporaryFolder()
        let caches = folder.url
        let store = DiskStore(folder: caches.appending(path: "http"), limit: 100 * 1024 * 1024)
        var configuration = NetworkConfiguration(transport: ScriptedTransport())
        var options = CacheOptions()
        options.staleIfError = .seconds(3600)
        options.collapsesRequests = true
        options.cacheStatusName = "app"
        configuration.middleware = [CacheMiddleware(store: store, options: options)]
        #expect(configuration.middleware.count == 1)
        await store.remove(url: "https://api.example/users?page=1")
        await store.removeAll()
        #expect(await store.size().count == 0)
    }

    @Test func aScriptPlaysTheServer() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport(.text("hello", fields: [.cacheControl: "max-age=60"]))
        var configuration = NetworkConfiguration(
            baseURL: URL(string: "https://api.example"), transport: transport, middleware: [CacheMiddleware()])
        configuration.clock = clock
        let client = NetworkClient(configuration: configuration)
        let request = NetworkRequest<VoidRequest, String>(path: "greeting", method: .get)
        _ = try await client.run(request)
        clock.advance(by: .seconds(59))
        #expect(try await client.run(request).exchange.served == .cache(.hit))
        clock.advance(by: .seconds(1))
        #expect(try await client.run(request).exchange.served == .network)
    }
}
