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

extension CacheMiddlewareTests {
    // MARK: Vary

    @Test(
        arguments: [
            ("Accept", "a", "a", true), ("Accept", "a", "b", false), ("ACCEPT", "a", "a", true),
            ("accept, X-Other", "a", "a", true),
            ("*", "a", "a", false), ("Accept, *", "a", "a", false), ("no name", "a", "a", false),
            (",accept,", "a,b", "a , b", true),
            ("Accept", "a", nil, false),
            ("Accept", nil, "a", false), ("X-Other", "a", "b", true), ("", "a", "b", true),
        ] as [(String, String?, String?, Bool)])
    func responsesVaryWithFields(vary: String, first: String?, second: String?, isHit: Bool) async throws {
        let cache = CacheClient(.origin([.cacheControl: "max-age=60", .vary: vary]))
        func fields(_ accept: String?) -> HTTPFields { accept.map { [.accept: $0] } ?? [:] }
        try await cache.call(fields: fields(first))
        #expect(try await cache.call(fields: fields(second)).served == (isHit ? .cache(.hit) : .network))
    }

    @Test func eachVariantIsKept() async throws {
        let cache = CacheClient(.origin([.cacheControl: "max-age=60", .vary: "Accept-Language"]))
        for language in ["de", "en", "DE", "en"] { try await cache.call(fields: [.acceptLanguage: language]) }
        #expect(cache.sent == 2)
        let twoLines = HTTPFields(["fr", "it"].map { HTTPField(name: .acceptLanguage, value: $0) })
        try await cache.call(fields: [.acceptLanguage: "fr, it"])
        #expect(try await cache.call(fields: twoLines).served == .cache(.hit))
    }

    /// A field that each request has anew would else fill the store, and make each look-up longer.
    @Test func ofManyVariantsTheLatestAreKept() async throws {
        let store = MemoryStore()
        let cache = CacheClient(.origin([.cacheControl: "max-age=600", .vary: "X-Request-ID"]), store: store)
        for number in 0..<100 {
            try await cache.call(fields: [.requestID: "\(number)"])
            cache.wait(1)
        }
        #expect((10...50).contains(store.count))
        #expect(try await cache.call(fields: [.requestID: "99"]).served == .cache(.hit))
        #expect(try await cache.call(fields: [.requestID: "0"]).served == .network)
    }

    @Test func whatTheTransportMayDecodeIsKeptApart() async throws {
        let cache = CacheClient(.origin([.cacheControl: "max-age=60"]))
        try await cache.call()
        #expect(try await cache.call(fields: [.acceptEncoding: "identity"]).served == .network)
        #expect(try await cache.call(fields: [.acceptEncoding: "identity"]).served == .cache(.hit))
    }

    // MARK: Whose response it is

    @Test(arguments: [HTTPField.Name.authorization, .proxyAuthorization, .apiKey])
    func credentialsKeepResponsesApart(name: HTTPField.Name) async throws {
        let cache = CacheClient(.origin([.cacheControl: "max-age=60, public"]))
        func call(_ credential: String?) async throws -> CacheClient.Answer {
            try await cache.call(fields: credential.map { [name: $0] } ?? [:]) { $0.sensitiveFields = [.apiKey] }
        }
        _ = try await call("one")
        #expect(try await call("two").body == "#1")
        #expect(try await call(nil).body == "#2")
        #expect(try await call("one").served == .cache(.hit))
        #expect(try await call("two").body == "#1")
        #expect(try await call(nil).body == "#2")
    }

    @Test func cookiesKeepResponsesApartWhenThereWereSome() async throws {
        let cache = CacheClient(.origin([.cacheControl: "max-age=60"]))
        try await cache.call()
        // A response to a request without cookies is nobody's own.
        #expect(try await cache.call(fields: [.cookie: "sid=1"]).served == .cache(.hit))
        cache.wait(60)
        #expect(try await cache.call(fields: [.cookie: "sid=1"]).body == "#1")
        #expect(try await cache.call(fields: [.cookie: "sid=2"]).body == "#2")
        #expect(try await cache.call().body == "#3")
        #expect(try await cache.call(fields: [.cookie: "sid=1"]).served == .cache(.hit))
    }

    /// Names may have commas and quotes, as those of LDAP have.
    @Test(arguments: [
        (#"username="ada", realm="r""#, #"username="bob", realm="r""#),
        (#"username="ada", realm="r""#, #"username="ada", realm="s""#),
        (#"username="Doe, John", realm="r""#, #"username="Doe, Jane", realm="r""#),
        (#"username="cn=a,ou=b", realm="r""#, #"username="cn=a,ou=c", realm="r""#),
        (#"username="a\", realm=\"r", realm="s""#, #"username="a", realm="r", realm="s""#),
        (#"username*=UTF-8''J%C3%A4, realm="r""#, #"username*=UTF-8''J%C3%B6, realm="r""#),
        (#"username="h", userhash=true, realm="r""#, #"username="h", userhash=false, realm="r""#),
    ])
    func aDigestStandsForItsUser(_ user: String, _ other: String) async throws {
        let cache = CacheClient(.origin([.cacheControl: "max-age=60"]))
        func call(_ user: String, _ count: Int) async throws -> CacheClient.Answer {
            try await cache.call(fields: [.authorization: "Digest nc=\(count), \(user), response=\"\(count)\""])
        }
        _ = try await call(user, 1)
        #expect(try await call(user, 2).served == .cache(.hit))
        #expect(try await call(other, 3).served == .network)
        #expect(try await call(user, 4).served == .cache(.hit))
    }

    @Test func whatAnInnerLayerAuthorisesIsNotStored() async throws {
        let token = "Bearer \(Leaks.mark)"
        let store = MemoryStore()
        let layers: [any NetworkMiddleware] = [
            BearerAuthMiddleware(token: Leaks.mark), APIKeyMiddleware(Leaks.mark),
            CookieMiddleware(CookieJar([Cookie(name: "sid", value: Leaks.mark, domain: "api.example")])),
            InterceptorMiddleware { request, next in
                var request = request
                request.head.headerFields[.authorization] = token
                return try await next(request)
            },
        ]
        for layer in layers {
            let cache = CacheClient(.origin([.cacheControl: "max-age=60"]), store: store, inside: [layer])
            try await cache.call()
            #expect(store.count == 0)
            #expect(!cache.client.pipelineReport.findings.isEmpty || layer is InterceptorMiddleware)
        }
    }

    @Test func theInterceptorsCredentialsCountToo() async throws {
        let store = MemoryStore()
        let transport = ScriptedTransport.origin([.cacheControl: "max-age=60"])
        var configuration = NetworkConfiguration(
            baseURL: URL(string: "https://api.example"), transport: transport,
            middleware: [CacheMiddleware(store: store)])
        configuration.interceptor = { request in
            var request = request
            request.head.headerFields[.authorization] = "Bearer x"
            return request
        }
        _ = try await NetworkClient(configuration: configuration).execute(TransportRequest(url: "https://api.example/"))
        #expect(store.count == 0)
    }

    @Test func insideOfAuthenticationItStoresForEachToken() async throws {
        let store = MemoryStore()
        let transport = ScriptedTransport.origin([.cacheControl: "max-age=60"])
        for token in ["one", "two", "one"] {
            let cache = CacheClient(transport, store: store, outside: [BearerAuthMiddleware(token: token)])
            #expect(cache.client.pipelineReport.findings.isEmpty)
            try await cache.call()
        }
        #expect(transport.requests.count == 2)
    }

    @Test func cookiesAreNotSetAgainByStoredResponses() async throws {
        let transport = ScriptedTransport { request in
            request.head.path == "/x"
                ? .text("x", fields: [.cacheControl: "max-age=60", .setCookie: "sid=old"])
                : .status(200, fields: [.setCookie: "sid=new"])
        }
        let jar = CookieJar()
        let cache = CacheClient(transport, outside: [CookieMiddleware(jar)])
        try await cache.call()
        try await cache.call(.post, "https://api.example/login")
        let hit = try await cache.call(.get, "https://api.example/x")
        #expect(hit.served == .cache(.hit) && hit["set-cookie"] == "sid=old")
        #expect(jar.cookies.map(\.value) == ["new"])
    }
}
