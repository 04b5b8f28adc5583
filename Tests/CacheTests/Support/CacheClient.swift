// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCache
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

/// A client with a cache, over a script, by a virtual clock.
struct CacheClient {
    let transport: ScriptedTransport
    let clock: VirtualClock
    let client: NetworkClient
    let store: any CacheStore

    init(
        _ transport: ScriptedTransport, store: any CacheStore = MemoryStore(), outside: [any NetworkMiddleware] = [],
        inside: [any NetworkMiddleware] = [], clock: VirtualClock = VirtualClock(),
        options: (inout CacheOptions) -> Void = { _ in }
    ) {
        var cacheOptions = CacheOptions()
        options(&cacheOptions)
        var configuration = NetworkConfiguration(
            baseURL: URL(string: "https://api.example"), transport: transport,
            middleware: outside + [CacheMiddleware(store: store, options: cacheOptions)] + inside)
        configuration.clock = clock
        client = NetworkClient(configuration: configuration)
        self.transport = transport
        self.clock = clock
        self.store = store
    }

    /// What a call has got.
    struct Answer {
        let status: Int
        let fields: HTTPFields
        let body: String
        let served: ExchangeRecord.Served

        subscript(name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
    }

    @discardableResult
    func call(
        _ method: HTTPMethod = .get, _ url: String = "https://api.example/x", fields: HTTPFields = [:],
        body: RequestBody = .empty, options: (inout RequestOptions) -> Void = { _ in }
    ) async throws -> Answer {
        var values = RequestOptions()
        options(&values)
        let response = try await client.execute(
            TransportRequest(method: method, url: url, headerFields: fields, body: body, options: values))
        let data = try await response.body.collect()
        return Answer(
            status: response.head.status.code, fields: response.head.headerFields,
            body: String(decoding: data, as: UTF8.self), served: response.exchange.served)
    }

    /// How many requests have reached the server.
    var sent: Int { transport.requests.count }

    func wait(_ seconds: Int) { clock.advance(by: .seconds(seconds)) }
}

extension ScriptedTransport {
    /// A server whose answers are numbered, all with these fields, and which confirms its own validators.
    static func origin(_ fields: HTTPFields, status: Int = 200) -> ScriptedTransport {
        ScriptedTransport { request in
            if let tag = fields[.eTag], request["if-none-match"] == tag {
                return .status(304, fields: fields)
            }
            if let date = fields[.lastModified], request["if-modified-since"] == date {
                return .status(304, fields: fields)
            }
            return .text("#\(request.number)", status: status, fields: fields)
        }
    }
}
