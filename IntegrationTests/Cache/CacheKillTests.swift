// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import StrataCache
import StrataCore
import StrataDiskCache
import StrataEncoding
import StrataTesting
import Synchronization
import TestSupport
import Testing

/// A folder of a `DiskStore` whose process is killed while it writes.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct CacheKillTests {
    /// How often; `STRATA_CACHE_KILLS` says otherwise.
    private static let rounds =
        ProcessInfo.processInfo.environment["STRATA_CACHE_KILLS"].flatMap { Int($0) } ?? 12

    @Test func whatIsThereAfterAKillIsWholeAndServed() async throws {
        let folder = try TemporaryFolder()
        let lines = Mutex<[String]>([])
        var generator = SeededGenerator(seed: 33)
        var hits = 0
        for round in 0..<Self.rounds {
            // Sometimes two processes share the folder.
            let writers = try (0...(round % 3 == 2 ? 1 : 0)).map { try start(in: folder.url, seed: round * 2 + $0) }
            // How far they come does not matter, as long as it differs.
            try await Task.sleep(for: .milliseconds(Int.random(in: 1...120, using: &generator)))
            for writer in writers { writer.send(SIGKILL) }
            for writer in writers { #expect(writer.waitForEnd() == .signal(SIGKILL)) }
            hits += try await check(folder.url) { line in lines.withLock { $0.append(line) } }
        }
        #expect(hits > Self.rounds)
        #expect(lines.withLock { $0 } == [])
    }

    private func start(in folder: URL, seed: Int) throws -> Subprocess {
        let program = try #require(Subprocess.program("ChildProcess"))
        let writer = try Subprocess.start([program, "store", folder.path, String(seed)], in: folder, isRead: true)
        // Until it has begun.
        #expect(writer.nextLine() == "begun")
        return writer
    }

    /// Asks for everything that may be there. What is not is answered by the network.
    ///
    /// - Returns: how much there was.
    private func check(_ folder: URL, log: @escaping @Sendable (String) -> Void) async throws -> Int {
        let store = DiskStore(folder: folder, limit: 3_000_000, logger: Logger(label: "kill") { _ in Told(log: log) })
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://api.example"), transport: ScriptedTransport(.status(404)),
                middleware: [CacheMiddleware(store: store)]))
        var hits = 0
        for number in 0..<400 {
            let response = try await client.execute(TransportRequest(url: "https://api.example/\(number)"))
            guard response.head.status == 200 else { continue }
            hits += 1
            let body = try await response.body.collect()
            #expect(body == StoredBody.make(for: "/\(number)"), "\(number)")
        }
        return hits
    }

    private struct Told: LogHandler {
        let log: @Sendable (String) -> Void
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        init(log: @escaping @Sendable (String) -> Void) { self.log = log }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { log("\(event.message)") }
    }
}
