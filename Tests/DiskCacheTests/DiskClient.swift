// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Logging
import StrataCache
import StrataCore
import StrataDiskCache
import StrataEncoding
import StrataTesting
import Synchronization

/// A client over a script, with a cache in a folder.
struct DiskClient {
    let transport: ScriptedTransport
    let client: NetworkClient
    let store: DiskStore
    let log = LineLog()

    /// - `body`: by the path of the request.
    init(
        _ folder: URL, limit: Int = DiskStore.defaultLimit, personal: Bool = false, fields: HTTPFields = [:],
        body: @escaping @Sendable (String) -> Data
    ) {
        transport = ScriptedTransport { request in
            .status(
                200, fields: fields + ([.cacheControl: "max-age=100000", .eTag: "\"a\""] as HTTPFields),
                body: body(request.head.path ?? ""))
        }
        let log = log
        store = DiskStore(
            folder: folder, limit: limit, storesPersonalResponses: personal,
            logger: Logger(label: "test") { _ in log.handler })
        client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://api.example"), transport: transport,
                middleware: [CacheMiddleware(store: store)]))
    }

    @discardableResult
    func get(_ path: String, fields: HTTPFields = [:], method: HTTPMethod = .get) async throws -> (
        Data, ExchangeRecord.Served
    ) {
        let response = try await client.execute(
            TransportRequest(method: method, url: "https://api.example\(path)", headerFields: fields))
        return (try await response.body.collect(), response.exchange.served)
    }

    var sent: Int { transport.requests.count }
}

/// Collects what is logged.
final class LineLog: Sendable {
    private let lines = Mutex<[String]>([])

    var count: Int { lines.withLock(\.count) }

    var handler: any LogHandler { Handler(log: self) }

    private struct Handler: LogHandler {
        let log: LineLog
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        init(log: LineLog) { self.log = log }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { log.lines.withLock { $0.append("\(event.message)") } }
    }
}

/// The bytes that a path is answered with.
func pattern(_ path: String, size: Int) -> Data {
    StoredBody.bytes(size, seed: path.utf8.reduce(into: 7) { $0 = $0 &* 31 &+ UInt64($1) })
}
