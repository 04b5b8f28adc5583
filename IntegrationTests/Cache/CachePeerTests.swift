// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCache
import StrataCore
import StrataDiskCache
import StrataEncoding
import TestSupport
import Testing

/// Validators of servers that somebody else wrote.
@Suite(.timeLimit(.minutes(2)))
struct CachePeerTests {
    private func get(_ client: NetworkClient, _ url: String) async throws -> (body: Data, served: ExchangeRecord.Served)
    {
        let response = try await client.execute(TransportRequest(url: url))
        return (try await response.body.collect(), response.exchange.served)
    }

    private func client(_ transport: any NetworkTransport, _ store: any CacheStore, heuristics: Bool = false)
        -> NetworkClient
    {
        var options = CacheOptions()
        options.usesHeuristics = heuristics
        return NetworkClient(
            configuration: NetworkConfiguration(
                transport: transport, middleware: [CacheMiddleware(store: store, options: options)]))
    }

    /// Its files have an `ETag` and a `Last-Modified`.
    @Test(.peers(.nginx, .openssl), arguments: TestedTransport.allCases, [100, 3_000_000])
    func nginxConfirmsItsFilesUntilTheyChange(_ kind: TestedTransport, size: Int) async throws {
        let nginx = try await Nginx.shared()
        let name = UUID().uuidString
        let (old, new) = (patternedData(count: size), patternedData(count: size + 1))
        let url = nginx.url(.plain, try nginx.publish(old, as: name))
        let folder = try TemporaryFolder()
        try await kind.run { transport in
            let disk = DiskStore(folder: folder.url)
            for store in [MemoryStore() as any CacheStore, disk] {
                _ = try nginx.publish(old, as: name)
                let client = client(transport, store)
                expectEqual(try await get(client, url).body, old)
                await disk.flush()
                let again = try await get(client, url)
                #expect(again.body == old && again.served == .cache(.revalidated))
                _ = try nginx.publish(new, as: name)
                let changed = try await get(client, url)
                #expect(changed.body == new && changed.served == .network)
            }
        }
    }

    /// It has a `Last-Modified` alone, by which it also answers conditions.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/env"), "there is no /usr/bin/env"),
        arguments: TestedTransport.allCases)
    func pythonsServerConfirmsByDate(_ kind: TestedTransport) async throws {
        let folder = try TemporaryFolder()
        try Data("first".utf8).write(to: folder["file.txt"])
        let tenDaysAgo = Date(timeIntervalSinceNow: -864_000)
        try FileManager.default.setAttributes([.modificationDate: tenDaysAgo], ofItemAtPath: folder["file.txt"].path)
        let server = try await PeerProcess.start { ports in
            [
                "/usr/bin/env", "python3", "-m", "http.server", String(ports[0]), "--bind", "127.0.0.1", "--directory",
                folder.url.path,
            ]
        }
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.ports[0])/file.txt"
        try await kind.run { transport in
            let client = client(transport, MemoryStore())
            expectEqual(try await get(client, url).body, Data("first".utf8))
            let again = try await get(client, url)
            #expect(again.body == Data("first".utf8) && again.served == .cache(.revalidated))
            let bold = self.client(transport, MemoryStore(), heuristics: true)
            _ = try await get(bold, url)
            expectEqual(try await get(bold, url).served, .cache(.hit))
            try Data("second".utf8).write(to: folder["file.txt"])
            expectEqual(try await get(client, url).body, Data("second".utf8))
            try Data("first".utf8).write(to: folder["file.txt"])
            try FileManager.default.setAttributes(
                [.modificationDate: tenDaysAgo], ofItemAtPath: folder["file.txt"].path)
        }
    }

    /// What a transport decodes is stored decoded, and is confirmed all the same.
    @Test(arguments: TestedTransport.allCases)
    func theEchoServersRoutesAreCached(_ kind: TestedTransport) async throws {
        try await EchoTarget.withServer { server in
            try await kind.run { transport in
                let client = client(transport, MemoryStore())
                for (path, served) in [
                    ("cache/60", ExchangeRecord.Served.cache(.hit)), ("etag/abc", .cache(.revalidated)),
                    ("cache", .cache(.revalidated)), ("get", .network), ("gzip", .network),
                ] {
                    let url = "\(server.url)/\(path)"
                    let first = try await get(client, url)
                    let second = try await get(client, url)
                    #expect(second.served == served, "\(path)")
                    if served != .network { #expect(second.body == first.body, "\(path)") }
                }
            }
        }
    }
}
