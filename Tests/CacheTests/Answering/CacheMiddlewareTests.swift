// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCache
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct CacheMiddlewareTests {
    @Test func aFreshResponseIsNotAskedForAgain() async throws {
        let cache = CacheClient(.origin([.cacheControl: "max-age=60"]))
        let first = try await cache.call()
        cache.wait(59)
        let second = try await cache.call()
        #expect(first.served == .network)
        #expect(second.served == .cache(.hit))
        #expect(second.body == "#0" && second.status == 200)
        #expect(second["age"] == "59")
        #expect(second["date"] == "Thu, 01 Jan 2026 00:00:00 GMT")
        cache.wait(1)
        let third = try await cache.call()
        #expect(third.body == "#1" && third.served == .network)
        #expect(cache.sent == 2)
    }

    @Test func whatSaysNothingOfItsFreshnessIsNotStored() async throws {
        let store = MemoryStore()
        let cache = CacheClient(.origin([:]), store: store)
        try await cache.call()
        #expect(store.count == 0)
        #expect(try await cache.call().body == "#1")
    }

    @Test(arguments: [
        "no-store", "no-store, max-age=60", "max-age=0", "max-age=-1", "max-age='60'", "max-age=x",
        "no-cache, max-age=60",
        "max-age=1, extension=\"max-age=3600\"", "NO-STORE", "max-age", "s-maxage=60",
        "no-cache=\"x-a\", no-cache, max-age=60", "no-cache, no-cache=\"x-a\", max-age=60", "no-cache=\"\", max-age=60",
        "no-cache=\" , \", max-age=60",
    ])
    func theseAreAskedForAgain(cacheControl: String) async throws {
        let cache = CacheClient(.origin([.cacheControl: cacheControl]))
        try await cache.call()
        cache.wait(2)
        #expect(try await cache.call().body == "#1")
    }

    @Test(arguments: [
        "max-age=60", "max-age=\"60\"", "MAX-AGE=60", "private, max-age=60", "x, max-age=60", "max-age=060",
        "max-age=99999999999999999999999", "no-store, must-understand, max-age=60", ",, max-age=60 ,",
        "x=\"a,b\", max-age=60",
        "no-cache=\"x-a\", max-age=60",
    ])
    func theseAreNot(cacheControl: String) async throws {
        let cache = CacheClient(.origin([.cacheControl: cacheControl]))
        try await cache.call()
        cache.wait(2)
        #expect(try await cache.call().body == "#0")
    }

    @Test(arguments: [
        (["expires": "Thu, 01 Jan 2026 00:01:00 GMT"], true), (["expires": "0"], false),
        (["expires": "THU, 01 JAN 2026 00:01:00 gmt"], true), (["expires": "Thu, 01 Jan 2026 00:01:00 UTC"], false),
        (["expires": "Thu, 01 Jan 2026 00:01:00 GMT", "date": "Thu, 01 Jan 2026 00:02:00 GMT"], false),
        (["expires": "Thu, 01 Jan 2026 00:01:00 GMT", "date": "nonsense"], true),
        (["cache-control": "max-age=60", "expires": "0"], true), (["cache-control": "max-age=60", "age": "60"], false),
        (["cache-control": "max-age=60", "age": "-60"], true),
        (["cache-control": "max-age=60", "age": "60, 0"], false),
        (["cache-control": "max-age=60", "age": "0, 60"], true), (["cache-control": "max-age=60", "age": "x"], true),
        (["cache-control": "max-age=60", "date": "Wed, 31 Dec 2025 23:59:00 GMT"], false),
        (["cache-control": "max-age=60", "date": "Thu, 01 Jan 2026 01:00:00 GMT"], true),
    ])
    func agesAndDatesCount(fields: [String: String], isFresh: Bool) async throws {
        let list = HTTPFields(
            fields.compactMap { name, value in HTTPField.Name(name).map { HTTPField(name: $0, value: value) } })
        let cache = CacheClient(.origin(list))
        try await cache.call()
        cache.wait(2)
        #expect(try await cache.call().served == (isFresh ? .cache(.hit) : .network))
    }

    /// A clock is set right by seconds now and then. When it goes back by more, nobody knows how old a response is.
    @Test(arguments: [(-30.0, true), (30, true), (-3600, false), (-1e9, false), (3600, false)])
    func theClockMayBeSet(change: Double, isHit: Bool) async throws {
        let clock = SetClock()
        var configuration = NetworkConfiguration(
            transport: ScriptedTransport.origin([.cacheControl: "max-age=60"]), middleware: [CacheMiddleware()])
        configuration.clock = clock
        let client = NetworkClient(configuration: configuration)
        let request = try TransportRequest(url: "https://api.example/x")
        _ = try await client.execute(request).body.collect()
        clock.change(by: change)
        let second = try await client.execute(request)
        #expect(second.exchange.served == (isHit ? .cache(.hit) : .network))
    }

    private final class SetClock: NetworkClock {
        private let state = Mutex(Date(timeIntervalSince1970: 2_000_000_000))
        var now: Duration { .zero }
        var date: Date { state.withLock { $0 } }

        func sleep(for duration: Duration) async throws {}
        func change(by seconds: Double) { state.withLock { $0 += seconds } }
    }

    @Test func heuristicsAreOffUnlessAskedFor() async throws {
        let fields: HTTPFields = [.lastModified: "Mon, 22 Dec 2025 00:00:00 GMT"]
        let careful = CacheClient(.origin(fields))
        try await careful.call()
        #expect(try await careful.call().served == .cache(.revalidated))
        // Ten days make one.
        let bold = CacheClient(.origin(fields)) { $0.usesHeuristics = true }
        try await bold.call()
        bold.wait(86_300)
        #expect(try await bold.call().served == .cache(.hit))
        bold.wait(200)
        #expect(try await bold.call().served == .cache(.revalidated))
        let unknown = CacheClient(.origin(fields, status: 403)) { $0.usesHeuristics = true }
        try await unknown.call()
        #expect(try await unknown.call().served == .cache(.revalidated))
    }

    @Test func aStaleResponseIsConfirmedWithBothValidatorsAndItsFieldsAreMerged() async throws {
        let transport = ScriptedTransport { request in
            request.number == 0
                ? .text(
                    "body",
                    fields: [
                        .cacheControl: "max-age=1", .eTag: "W/\"a\"", .lastModified: "Mon, 22 Dec 2025 00:00:00 GMT",
                        .contentLanguage: "de", .age: "0", .server: "one",
                    ])
                : .status(
                    304,
                    fields: [
                        .cacheControl: "max-age=60", .server: "two", .contentEncoding: "gzip", .contentLength: "9",
                    ])
        }
        let cache = CacheClient(transport)
        try await cache.call()
        cache.wait(5)
        let second = try await cache.call()
        #expect(transport.requests[1]["if-none-match"] == "W/\"a\"")
        #expect(transport.requests[1]["if-modified-since"] == "Mon, 22 Dec 2025 00:00:00 GMT")
        #expect(second.status == 200 && second.body == "body" && second.served == .cache(.revalidated))
        #expect(second["server"] == "two" && second["content-language"] == "de" && second["etag"] == "W/\"a\"")
        #expect(second["content-encoding"] == nil && second["content-length"] == nil)
        #expect(second["date"] == "Thu, 01 Jan 2026 00:00:05 GMT" && second["age"] == "0")
        cache.wait(50)
        #expect(try await cache.call().served == .cache(.hit))
        #expect(cache.sent == 2)
    }

    /// RFC 9111 §4.3.4: what is stored is not brought up to date by a 304 that means something else.
    @Test(arguments: [("\"b\"", false), ("W/\"b\"", false), ("\"a\"", true), ("W/\"a\"", true), (nil, true)])
    func aConfirmationOfAnotherResponseIsNone(tag: String?, isConfirmed: Bool) async throws {
        let transport = ScriptedTransport { request in
            var fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"a\""]
            if request["if-none-match"] == nil { return .text("#\(request.number)", fields: fields) }
            fields[.eTag] = tag
            return .status(304, fields: fields)
        }
        let cache = CacheClient(transport)
        try await cache.call()
        cache.wait(100)
        let second = try await cache.call()
        #expect(second.status == 200 && second.body == (isConfirmed ? "#0" : "#2"))
        #expect(second.served == (isConfirmed ? .cache(.revalidated) : .network))
        #expect(try await cache.call().body == second.body)
        #expect(cache.sent == (isConfirmed ? 2 : 3))
    }

    @Test(arguments: ["Accept", "accept, X-None"])
    func aConfirmationMaySayWhatAResponseVariesWith(vary: String) async throws {
        let transport = ScriptedTransport { request in
            var fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"a\""]
            if request["if-none-match"] == nil { return .text("#\(request.number)", fields: fields) }
            fields[.vary] = vary
            return .status(304, fields: fields)
        }
        let cache = CacheClient(transport)
        try await cache.call(fields: [.accept: "x"])
        cache.wait(100)
        #expect(try await cache.call(fields: [.accept: "x"]).served == .cache(.revalidated))
        #expect(try await cache.call(fields: [.accept: "x"]).served == .cache(.hit))
        #expect(try await cache.call(fields: [.accept: "y"]).served == .network)
    }

    @Test func whatVariesWithEverythingAsItIsConfirmedIsForgotten() async throws {
        let store = MemoryStore()
        let transport = ScriptedTransport(
            .text("a", fields: [.cacheControl: "max-age=10", .eTag: "\"a\""]),
            .status(304, fields: [.cacheControl: "max-age=10", .vary: "*"]))
        let cache = CacheClient(transport, store: store)
        try await cache.call()
        cache.wait(10)
        #expect(try await cache.call().body == "a")
        #expect(store.count == 0)
    }

    @Test func aChangedResponseTakesThePlaceOfTheStoredOne() async throws {
        let transport = ScriptedTransport { request in
            .text("#\(request.number)", fields: [.cacheControl: "max-age=10", .eTag: "\"\(request.number)\""])
        }
        let store = MemoryStore()
        let cache = CacheClient(transport, store: store)
        try await cache.call()
        cache.wait(10)
        #expect(try await cache.call().body == "#1")
        #expect(try await cache.call().served == .cache(.hit))
        #expect(store.count == 1)
    }

    @Test func aResponseThatMayNotBeStoredRemovesTheStoredOne() async throws {
        let transport = ScriptedTransport(
            .text("a", fields: [.cacheControl: "max-age=10", .eTag: "\"a\""]),
            .text("b", fields: [.cacheControl: "no-store"]))
        let store = MemoryStore()
        let cache = CacheClient(transport, store: store)
        try await cache.call()
        cache.wait(10)
        #expect(try await cache.call().body == "b")
        #expect(store.count == 0)
    }

    // MARK: Invalidation

    @Test(arguments: [(HTTPMethod.post, 200), (.put, 204), (.delete, 303), (.patch, 200)])
    func unsafeRequestsThatSucceedMakeStoredResponsesInvalid(method: HTTPMethod, status: Int) async throws {
        let transport = ScriptedTransport { request in
            if request.head.method == .get {
                return .text("#\(request.number)", fields: [.cacheControl: "max-age=60", .vary: "Accept"])
            }
            return .status(status, fields: [.contentLocation: "/y", .location: "https://other.example/z"])
        }
        let cache = CacheClient(transport)
        let urls = ["https://api.example/x", "https://api.example/y", "https://other.example/z"]
        for url in urls { for accept in ["a", "b"] { try await cache.call(.get, url, fields: [.accept: accept]) } }
        try await cache.call(.get, fields: [.authorization: "Bearer one"])
        try await cache.call(method)
        var served: [Bool] = []
        for url in urls {
            for accept in ["a", "b"] {
                served.append(try await cache.call(.get, url, fields: [.accept: accept]).served == .network)
            }
        }
        // What another origin says about itself is its own business.
        #expect(served == [true, true, true, true, false, false])
        #expect(try await cache.call(.get, fields: [.authorization: "Bearer one"]).served == .network)
    }

    @Test(arguments: [(HTTPMethod.post, 500), (.delete, 404), (.options, 200), (.trace, 200)])
    func othersDoNot(method: HTTPMethod, status: Int) async throws {
        let transport = ScriptedTransport { request in
            request.head.method == .get ? .text("x", fields: [.cacheControl: "max-age=60"]) : .status(status)
        }
        let cache = CacheClient(transport)
        try await cache.call()
        try await cache.call(method)
        #expect(try await cache.call().served == .cache(.hit))
    }

    // MARK: HEAD

    @Test func headIsAnsweredByAFreshResponseToGET() async throws {
        let cache = CacheClient(.origin([.cacheControl: "max-age=60"]))
        try await cache.call()
        let head = try await cache.call(.head)
        #expect(head.served == .cache(.hit) && head.body.isEmpty)
        #expect(cache.sent == 1)
    }

    @Test(arguments: [("\"a\"", "max-age=60", ExchangeRecord.Served.cache(.hit)), ("\"b\"", "max-age=60", .network)])
    func headUpdatesOrRemovesWhatIsStored(tag: String, control: String, served: ExchangeRecord.Served) async throws {
        let transport = ScriptedTransport { request in
            request.head.method == .head
                ? .status(200, fields: [.cacheControl: control, .eTag: tag])
                : .text("x", fields: [.cacheControl: "max-age=1", .eTag: "\"a\""])
        }
        let cache = CacheClient(transport)
        try await cache.call()
        cache.wait(5)
        try await cache.call(.head)
        let answer = try await cache.call()
        #expect(answer.served == served && answer.body == "x")
    }

    // MARK: Keys of one's own

    @Test func requestsWithAKeyAreStoredAndAreNotUnsafe() async throws {
        let query = try #require(HTTPMethod("QUERY"))
        let cache = CacheClient(.origin([.cacheControl: "max-age=60"])) { options in
            options.key = {
                $0.head.method.rawValue == "QUERY" ? $0.body.data.map { String(decoding: $0, as: UTF8.self) } : nil
            }
        }
        for (body, sent) in [("a", 1), ("b", 2), ("a", 2)] {
            try await cache.call(query, body: .data(Data(body.utf8)))
            #expect(cache.sent == sent)
        }
        try await cache.call()
        #expect(cache.sent == 3)
        try await cache.call(.post)
        try await cache.call(query, body: .data(Data("a".utf8)))
        #expect(cache.sent == 5)
    }

    // MARK: Reports

    @Test func theStatusFieldTellsHowTheCacheWorked() async throws {
        let cache = CacheClient(
            .origin([.cacheControl: "max-age=60", .eTag: "\"a\"", .known("Cache-Status"): "CDN; hit"])
        ) {
            $0.cacheStatusName = "Strata"
        }
        #expect(try await cache.call()["cache-status"] == "CDN; hit, Strata; fwd=uri-miss; fwd-status=200; stored")
        cache.wait(10)
        #expect(try await cache.call()["cache-status"] == "CDN; hit, Strata; hit; ttl=50")
        cache.wait(60)
        #expect(try await cache.call()["cache-status"] == "CDN; hit, Strata; fwd=stale; fwd-status=304; stored; ttl=60")
        #expect(try await cache.call(.post)["cache-status"] == "CDN; hit, Strata; fwd=method")
        #expect(
            try await cache.call(fields: [.cacheControl: "no-store"])["cache-status"] == "CDN; hit, Strata; fwd=bypass")
    }

    @Test func theReportKnowsThePlace() {
        func findings(_ layers: any NetworkMiddleware...) -> [String] {
            let configuration = NetworkConfiguration(
                baseURL: URL(string: "https://api.example"), transport: ScriptedTransport(), middleware: layers)
            return NetworkClient(configuration: configuration).pipelineReport.findings.map(\.fix)
        }
        let (cache, bearer) = (CacheMiddleware(), BearerAuthMiddleware(token: "x"))
        #expect(findings(RedirectMiddleware(), RetryMiddleware(), bearer, CookieMiddleware(), cache) == [])
        #expect(findings(cache, bearer) == ["Move CacheMiddleware behind BearerAuthMiddleware in the list."])
        #expect(findings(cache, CookieMiddleware()) == ["Move CacheMiddleware behind CookieMiddleware in the list."])
        #expect(findings(cache, APIKeyMiddleware("x")) == ["Move CacheMiddleware behind APIKeyMiddleware in the list."])
        #expect(findings(cache, cache) == ["Keep one of them."])
    }

    @Test func descriptionsShowNoSecrets() async throws {
        let store = MemoryStore()
        let cache = CacheClient(.origin([.cacheControl: "max-age=60"]), store: store)
        try await cache.call(
            .get, "https://api.example/x?token=\(Leaks.mark)", fields: [.authorization: "Bearer \(Leaks.mark)"])
        var text = "\(store) \(CacheMiddleware(store: store)) \(cache.client.pipelineReport)"
        dump(CacheMiddleware(store: store), to: &text)
        dump(store, to: &text)
        Leaks.check(text, "a description")
        #expect(store.count == 1)
    }
}
