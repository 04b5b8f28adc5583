// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
import Testing

/// The middleware that add to requests.
struct DecorationTests {
    private func sent(
        _ middleware: any NetworkMiddleware, _ method: HTTPMethod = .get, _ path: String = "/",
        fields: HTTPFields = [:],
        body: RequestBody = .empty
    ) async throws -> RecordedRequest {
        let transport = ScriptedTransport()
        _ = try await makeClient(transport, middleware).call(method, path, fields: fields, body: body)
        return try #require(transport.requests.first)
    }

    @Test func aUserAgentIsSetOrKept() async throws {
        #expect(try await sent(UserAgentMiddleware("x/1"), fields: [.userAgent: "y"])["user-agent"] == "x/1")
        #expect(
            try await sent(UserAgentMiddleware("x/1", replacesExisting: false), fields: [.userAgent: "y"])["user-agent"]
                == "y")
        let named = UserAgentMiddleware(product: "App", version: "1.0")
        #expect(try await sent(named)["user-agent"] == "App/1.0 (\(UserAgentMiddleware.platform))")
        #expect(
            try await sent(UserAgentMiddleware(product: "App", version: "2", comment: nil))["user-agent"] == "App/2")
    }

    /// RFC 9110 §5.6.2, §5.6.5.
    @Test func aUserAgentIsMadeOfTokensAndAComment() async throws {
        let odd = UserAgentMiddleware(product: "My App/\u{e9}", version: "1.0 (5)", comment: #"a (b) \ c"#)
        #expect(try await sent(odd)["user-agent"] == #"My-App--/1.0--5- (a \(b\) \\ c)"#)
        #expect(
            try await sent(UserAgentMiddleware(product: "App", version: "", comment: nil))["user-agent"] == "App")
    }

    @Test func acceptIsReplaced() async throws {
        #expect(try await sent(AcceptMiddleware(), fields: [.accept: "text/html"])["accept"] == "application/json")
        #expect(try await sent(AcceptMiddleware("a/b, c/d;q=0.1"))["accept"] == "a/b, c/d;q=0.1")
    }

    @Test func aContentTypeIsSetWithABodyOnly() async throws {
        let json = ContentTypeMiddleware()
        #expect(try await sent(json, .post)["content-type"] == nil)
        #expect(try await sent(json, fields: [.contentType: "text/plain"])["content-type"] == "text/plain")
        #expect(
            try await sent(json, .post, fields: [.contentType: "text/plain"], body: .data(Data()))["content-type"]
                == "application/json")
    }

    @Test(arguments: [
        (CacheControlMiddleware.Directive.noCache, "no-cache"), (.noStore, "no-store"),
        (.maxAge(seconds: 0), "max-age=0"),
        (.maxAge(seconds: -5), "max-age=0"), (.maxAge(seconds: .max), "max-age=\(Int.max)"),
        (.onlyIfCached, "only-if-cached"), (.custom("max-stale=5, no-transform"), "max-stale=5, no-transform"),
    ])
    func aCacheDirectiveIsSet(directive: CacheControlMiddleware.Directive, expected: String) async throws {
        #expect(try await sent(CacheControlMiddleware(directive))["cache-control"] == expected)
    }

    @Test func timeoutsReplaceThoseOfTheRequest() async throws {
        let options = try await sent(TimeoutMiddleware(.milliseconds(1500), idle: .seconds(5))).options.timeouts
        #expect(options == Timeouts(idle: .seconds(5), attempt: .milliseconds(1500)))
        let connect = try await sent(TimeoutMiddleware { $0.connect = nil }).options.timeouts
        #expect(connect == Timeouts(connect: nil))
    }

    @Test func whatIsReadWhileItArrivesIsNoAttemptThatIsTooLong() async throws {
        let transport = ScriptedTransport()
        let client = makeClient(transport, TimeoutMiddleware(.seconds(1), idle: .seconds(5)))
        let request = NetworkRequest<VoidRequest, VoidResponse>(path: "/", method: .get)
        _ = try await client.call { $0.delivery = .eventStream }
        _ = try await client.open(request)
        _ = try await client.run(request)
        let attempts = [nil, nil, Duration.seconds(1)]
        #expect(transport.requests.map(\.options.timeouts) == attempts.map { Timeouts(idle: .seconds(5), attempt: $0) })
    }

    @Test func aValueThatWouldBreakTheFieldIsRefused() async {
        for middleware: any NetworkMiddleware in [
            UserAgentMiddleware("a\r\nX: 1"), UserAgentMiddleware(product: "a", version: "1", comment: "\n"),
            AcceptMiddleware("a\nb"), CacheControlMiddleware(.custom("\0")),
            APIKeyMiddleware("\(Secret.apiKey)\r\n"), RequestIDMiddleware { "\n" },
        ] {
            await #expect {
                _ = try await sent(middleware)
            } throws: {
                isFailure($0, .invalidRequest)
            }
        }
    }

    // MARK: Request id and trace

    @Test func anIDIsKeptOverAttemptsAndRedirects() async throws {
        let transport = ScriptedTransport(.status(503), .redirect(to: "/2"), .status(200))
        let count = Mutex(0)
        let id = RequestIDMiddleware {
            count.withLock { count in
                count += 1
                return "id-\(count)"
            }
        }
        let client = makeClient(transport, RetryMiddleware(backoff: .none), id)
        _ = try await client.call()
        _ = try await client.call()
        #expect(transport.requests.map { $0["x-request-id"] } == ["id-1", "id-1", "id-1", "id-2"])
    }

    @Test func anIDOfTheCallersOwnStaysWhenAsked() async throws {
        let fields: HTTPFields = [.requestID: "mine"]
        #expect(try await sent(RequestIDMiddleware(), fields: fields)["x-request-id"] != "mine")
        #expect(try await sent(RequestIDMiddleware(replacesExisting: false), fields: fields)["x-request-id"] == "mine")
        let name = try #require(HTTPField.Name("X-Correlation"))
        // One alone may have the bits by chance.
        for _ in 0..<64 {
            let id = try #require(try await sent(RequestIDMiddleware(field: name))["x-correlation"])
            let uuid = try #require(UUID(uuidString: id))
            #expect(uuid.uuidString == id)
            // Version 4, and the variant of RFC 9562 §4.1.
            #expect(uuid.uuid.6 >> 4 == 4 && uuid.uuid.8 >> 6 == 0b10)
        }
    }

    /// Random numbers are fetched some at a time, and no two calls get the same ones.
    @Test func eachCallHasAnIDOfItsOwnThoughAllAreMadeAtOnce() async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport, RequestIDMiddleware())
        await withThrowingTaskGroup { group in
            for _ in 0..<300 { group.addTask { _ = try await client.call() } }
        }
        let ids = Set(transport.requests.compactMap { $0["x-request-id"] })
        #expect(ids.count == 300)
        // Each of the 122 random bits is set in some, and not in others.
        let digits = ids.map { Array($0.utf8) }
        for place in 0..<36 where ![8, 13, 14, 18, 19, 23].contains(place) {
            #expect(Set(digits.map { $0[place] }).count == 16)
        }
    }

    @Test func aTraceHasOneIDACallAndOneParentAnAttempt() async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        _ = try await makeClient(transport, RetryMiddleware(backoff: .none), TraceparentMiddleware()).call()
        let values = transport.requests.compactMap { $0["traceparent"]?.split(separator: "-").map(String.init) }
        #expect(values.count == 2)
        #expect(values.allSatisfy { $0.map(\.count) == [2, 32, 16, 2] && $0[0] == "00" && $0[3] == "01" })
        #expect(values[0][1] == values[1][1])
        #expect(values[0][2] != values[1][2])
        let zeros = TraceparentMiddleware(isSampled: false) { 0 }
        #expect(
            try await sent(zeros)["traceparent"] == "00-00000000000000000000000000000001-0000000000000001-00")
    }

    @Test func aTraceThatIsUnderWayIsContinued() async throws {
        var fields = HTTPFields()
        try fields.setValue("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", forName: "traceparent")
        #expect(
            try await sent(TraceparentMiddleware(), fields: fields)["traceparent"]
                == "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    }

    // MARK: Defaults

    @Test func defaultFieldsFillGaps() async throws {
        let defaults = DefaultFieldsMiddleware([.accept: "a/b", .acceptLanguage: "de"])
        let request = try await sent(defaults, fields: [.accept: "c/d"])
        #expect(request["accept"] == "c/d")
        #expect(request["accept-language"] == "de")
    }

    @Test func aDefaultContentTypeIsForBodies() async throws {
        let transport = ScriptedTransport(.redirect(303, to: "/2"), .status(200))
        let client = makeClient(transport, DefaultFieldsMiddleware([.contentType: "application/json"]))
        _ = try await client.call(.post, body: .data(Data("{}".utf8)))
        #expect(transport.requests.map { $0["content-type"] } == ["application/json", nil])
    }

    @Test func sensitiveDefaultsStayWithTheBaseURL() async throws {
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        let transport = ScriptedTransport(.redirect(to: "https://other.example/"), .status(200))
        let defaults = DefaultFieldsMiddleware(
            [.cookie: "a=1", tenant: "t", .acceptLanguage: "de"], sensitive: [tenant])
        _ = try await makeClient(transport, defaults).call()
        #expect(transport.requests[0].head.headerFields.count == 3)
        #expect(transport.requests[1].head.headerFields.map(\.name) == [.acceptLanguage])
        _ = try await makeClient(transport, defaults).call(.get, "https://other.example/")
        #expect(transport.requests[2].head.headerFields.map(\.name) == [.acceptLanguage])
        _ = try await makeClient(transport, defaults, baseURL: nil).call(.get, "https://other.example/")
        #expect(transport.requests[3].head.headerFields.count == 3, "without a base URL, where the call begins")
        _ = try await makeClient(transport, defaults, baseURL: nil).call(.get, "https://other.example/") {
            $0.isLedByLink = true
        }
        #expect(transport.requests[4].head.headerFields.map(\.name) == [.acceptLanguage])
    }

    @Test func defaultsForOneServerGoToNoOther() async throws {
        let host = try #require(HTTPField.Name("Host"))
        let transport = ScriptedTransport(.redirect(to: "https://other.example/"), .status(200))
        let defaults = DefaultFieldsMiddleware(
            [host: "internal.example", .origin: "https://app.example", .acceptLanguage: "de"])
        _ = try await makeClient(transport, defaults).call()
        #expect(transport.requests[0].head.headerFields.count == 3)
        #expect(transport.requests[1].head.headerFields.map(\.name) == [.acceptLanguage])
    }

    @Test func sensitiveDefaultsAreNotForRequestsWithoutCredentials() async throws {
        let transport = ScriptedTransport()
        let defaults = DefaultFieldsMiddleware([.authorization: "Bearer \(Secret.token)", .acceptLanguage: "de"])
        _ = try await makeClient(transport, defaults).call { $0.isAuthenticationExempt = true }
        #expect(transport.requests[0].head.headerFields.map(\.name) == [.acceptLanguage])
    }

    @Test(arguments: [
        ("/", "/?lang=de&q=a%20b%2B%26"), ("/?x=1", "/?x=1&lang=de&q=a%20b%2B%26"),
        ("/?lang=fr", "/?lang=fr&q=a%20b%2B%26"),
        ("/?l%61ng=fr&q=", "/?l%61ng=fr&q="), ("/?", "/?lang=de&q=a%20b%2B%26"),
    ])
    func queryItemsFillGaps(path: String, expected: String) async throws {
        let items = [
            URLQueryItem(name: "lang", value: "de"), .init(name: "q", value: "a b+&"), .init(name: "n", value: nil),
        ]
        #expect(try await sent(QueryItemsMiddleware(items), .get, path).target == expected)
    }

    @Test func queryItemsStayWithTheFirstOrigin() async throws {
        let transport = ScriptedTransport(.redirect(to: "https://other.example/s?sig=1"), .status(200))
        let client = makeClient(transport, QueryItemsMiddleware([URLQueryItem(name: "a", value: "1")]))
        _ = try await client.call()
        _ = try await client.call(.get, "https://other.example/2") { $0.isLedByLink = true }
        #expect(transport.requests.map(\.target) == ["/?a=1", "/s?sig=1", "/2"])
    }

    /// The first hop never came here: a layer further out had its answer.
    @Test func whereARedirectOfACacheLedIsNotTheFirstOrigin() async throws {
        struct Cache: NetworkMiddleware {
            func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
                guard request.head.path == "/old" else { return try await next(request) }
                let fields: HTTPFields = [.location: "https://other.example/new"]
                return TransportResponse(head: HTTPResponse(status: .permanentRedirect, headerFields: fields))
            }
        }
        for base in ["https://api.example", nil] {
            let transport = ScriptedTransport(.status(200))
            let client = makeClient(
                transport, Cache(), DefaultFieldsMiddleware([.authorization: "Bearer \(Secret.token)"]),
                QueryItemsMiddleware([URLQueryItem(name: "key", value: "1")]), baseURL: base)
            _ = try await client.call(.get, "https://api.example/old")
            #expect(transport.requests.map(\.target) == ["/new"])
            #expect(transport.requests[0]["authorization"] == nil)
        }
    }
}
