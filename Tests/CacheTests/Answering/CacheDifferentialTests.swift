// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCache
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import Testing

/// Random sequences of calls through a cache, each answer compared with what the origin says at that moment without one.
struct CacheDifferentialTests {
    /// A server of a few resources that change, each with other rules.
    private final class Origin: Sendable {
        struct Resource {
            var version = 0
            /// When each version was replaced, and whether by a request of this client.
            var replaced: [Int: (at: Duration, byClient: Bool)] = [:]
        }

        static let lifetime = [0, 5, 30, 5, 30]
        let state = Mutex([Resource](repeating: Resource(), count: lifetime.count))
        let clock: VirtualClock

        init(_ clock: VirtualClock) { self.clock = clock }

        func change(_ index: Int, byClient: Bool) {
            state.withLock { state in
                state[index].replaced[state[index].version] = (clock.now, byClient)
                state[index].version += 1
            }
        }

        func text(_ index: Int, version: Int, _ fields: HTTPFields) -> String {
            let user = fields[.authorization] ?? "nobody"
            let language = index == 2 || index == 3 ? fields[.acceptLanguage] ?? "none" : "any"
            return "\(index) \(version) \(user) \(language)"
        }

        func reply(to request: RecordedRequest) -> ScriptedReply {
            guard let index = request.head.path.flatMap({ Int($0.dropFirst()) }) else { return .status(404) }
            if request.head.method == .put {
                change(index, byClient: true)
                return .status(204)
            }
            let version = state.withLock { $0[index].version }
            let text = text(index, version: version, request.head.headerFields)
            var fields: HTTPFields = [.eTag: "\"\(text.hashValue)\""]
            switch index {
            case 0: fields[.cacheControl] = "no-cache"
            case 1: fields[.expires] = HTTPDate.text(of: clock.date.addingTimeInterval(5))
            case 3: fields[.cacheControl] = "max-age=5, must-revalidate"
            default: fields[.cacheControl] = "max-age=\(Self.lifetime[index]), private"
            }
            fields[.date] = HTTPDate.text(of: clock.date)
            if index == 2 || index == 3 { fields[.vary] = "Accept-Language" }
            if request["if-none-match"] == fields[.eTag] { return .status(304, fields: fields) }
            return .status(200, fields: fields, body: Data(text.utf8))
        }
    }

    /// 5,000 sequences of 15 steps.
    @Test(arguments: 0..<20)
    func answersAreThoseOfTheOriginOrWereSoWithinTheirTime(part: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(part))
        var served: [ExchangeRecord.Served: Int] = [:]
        for _ in 0..<250 {
            let clock = VirtualClock()
            let origin = Origin(clock)
            // A small store, so that entries go.
            let store = MemoryStore(limit: [1500, 4000, 1_000_000].randomElement(using: &generator) ?? 0)
            let cache = CacheClient(ScriptedTransport { origin.reply(to: $0) }, store: store, clock: clock)
            for _ in 0..<15 {
                let index = Int.random(in: 0..<Origin.lifetime.count, using: &generator)
                let url = "https://api.example/\(index)"
                switch Int.random(in: 0..<10, using: &generator) {
                case 0: origin.change(index, byClient: false)
                case 1: try await cache.call(.put, url)
                case 2: cache.wait(Int.random(in: 1...12, using: &generator))
                case 3: try await cache.call(.head, url)
                default:
                    var fields: HTTPFields = [:]
                    if Bool.random(using: &generator) {
                        fields[.authorization] = ["ada", "bob"].randomElement(using: &generator)
                    }
                    if Bool.random(using: &generator) {
                        fields[.acceptLanguage] = ["de", "en"].randomElement(using: &generator)
                    }
                    let answer = try await cache.call(.get, url, fields: fields)
                    served[answer.served, default: 0] += 1
                    try check(answer, index, fields, origin)
                }
            }
        }
        // All the ways to answer were tried.
        #expect(
            served[.network] ?? 0 > 100 && served[.cache(.hit)] ?? 0 > 100 && served[.cache(.revalidated)] ?? 0 > 20)
    }

    private func check(_ answer: CacheClient.Answer, _ index: Int, _ fields: HTTPFields, _ origin: Origin) throws {
        let resource = origin.state.withLock { $0[index] }
        let version = try #require(answer.body.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        #expect(answer.status == 200)
        // Whose it is and in which language is right whatever its age.
        #expect(answer.body == origin.text(index, version: version, fields))
        guard version != resource.version else { return }
        let replaced = try #require(resource.replaced[version])
        let age = origin.clock.now - replaced.at
        let isWithinItsTime = age < .seconds(Origin.lifetime[index])
        #expect(isWithinItsTime && !replaced.byClient, "version \(version) of \(resource.version), \(answer.served)")
    }
}
