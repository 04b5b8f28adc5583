// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

struct CookieMiddlewareTests {
    @Test func aLoginThatSetsACookieOnItsRedirectDoesNotLoop() async throws {
        let transport = ScriptedTransport { request in
            if request["cookie"] == "sid=\(Secret.cookie)" { return .text("welcome") }
            return .status(302, fields: [.location: "/home", .setCookie: "sid=\(Secret.cookie); Path=/; HttpOnly"])
        }
        let client = makeClient(transport, CookieMiddleware())
        let response = try await client.call(.post, "/login", body: .data(Data("x".utf8)))
        #expect(response.head.status == 200)
        #expect(transport.requests.map { $0["cookie"] } == [nil, "sid=\(Secret.cookie)"])
    }

    @Test func eachHopHasTheCookiesOfItsHost() async throws {
        let transport = ScriptedTransport { request in
            switch request.number {
            case 0: .status(307, fields: [.location: "https://b.example/", .setCookie: "a=1"])
            case 1: .status(307, fields: [.location: "https://a.example/x", .setCookie: "b=2"])
            default: .status(200)
            }
        }
        let client = makeClient(transport, CookieMiddleware())
        _ = try await client.call(.get, "https://a.example/")
        _ = try await client.call(.get, "https://b.example/")
        #expect(transport.requests.map { $0["cookie"] } == [nil, nil, "a=1", "b=2"])
    }

    @Test func theCookiesOfRefusedAndRepeatedResponsesCount() async throws {
        let transport = ScriptedTransport(
            .status(503, fields: [.setCookie: "node=7"]), .status(401, fields: [.setCookie: "why=auth"]), .status(200))
        let client = makeClient(
            transport, StatusValidationMiddleware(), RetryMiddleware(backoff: .none, budget: nil), CookieMiddleware())
        await #expect(throws: NetworkClientError.self) { try await client.call() }
        _ = try await client.call()
        #expect(transport.requests.map { $0["cookie"] } == [nil, "node=7", "node=7; why=auth"])
    }

    @Test(arguments: [
        ("own=1", "own=1; jar=2; same=jar"), ("same=own", "same=own; jar=2"), ("a=1; same=own", "a=1; same=own; jar=2"),
        ("same", "same; jar=2"), ("", "jar=2; same=jar"),
    ])
    func aCookieFieldOfTheRequestIsCompletedAndNothingIsDoubled(own: String, sent: String) async throws {
        let transport = ScriptedTransport(.status(503))
        let jar = CookieJar([
            Cookie(name: "jar", value: "2", domain: "api.example"),
            Cookie(name: "same", value: "jar", domain: "api.example"),
        ])
        let client = makeClient(
            transport, RetryMiddleware(maxAttempts: 3, backoff: .none, budget: nil), CookieMiddleware(jar))
        let fields = own.isEmpty ? [:] : HTTPFields([HTTPField(name: .cookie, value: Array(own.utf8))])
        _ = try await client.call(fields: fields)
        #expect(transport.requests.map { $0["cookie"] } == [sent, sent, sent])
    }

    @Test func whatIsExemptFromAuthenticationHasNoCookies() async throws {
        let transport = ScriptedTransport(.status(200, fields: [.setCookie: "b=2"]))
        let jar = CookieJar([Cookie(name: "a", value: "1", domain: "api.example")])
        let client = makeClient(transport, CookieMiddleware(jar))
        _ = try await client.call(.trace)
        _ = try await client.call { $0.isAuthenticationExempt = true }
        #expect(transport.requests.map { $0["cookie"] } == [nil, nil])
        #expect(jar.cookies.map(\.name) == ["a", "b"])
    }

    @Test func clientsHaveJarsOfTheirOwn() async throws {
        let transport = ScriptedTransport(.status(200, fields: [.setCookie: "a=1"]))
        _ = try await makeClient(transport, CookieMiddleware()).call()
        _ = try await makeClient(transport, CookieMiddleware()).call()
        #expect(transport.requests.map { $0["cookie"] } == [nil, nil])
    }

    @Test func theClockOfTheClientCounts() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport(.status(200, fields: [.setCookie: "a=1; Max-Age=10"]), .status(200))
        let client = makeClient(transport, CookieMiddleware(), clock: clock)
        _ = try await client.call()
        clock.advance(by: .seconds(9))
        _ = try await client.call()
        clock.advance(by: .seconds(1))
        _ = try await client.call()
        #expect(transport.requests.map { $0["cookie"] } == [nil, "a=1", nil])
    }

    @Test func aRequestThatAnInnerLayerSendsElsewhereSetsCookiesThere() async throws {
        let jar = CookieJar()
        let transport = ScriptedTransport(.status(200, fields: [.setCookie: "a=1"]))
        let client = makeClient(
            transport, CookieMiddleware(jar),
            .before { request in
                var request = request
                request.head.authority = "other.example"
                return request
            })
        _ = try await client.call()
        #expect(jar.cookies.map(\.domain) == ["other.example"])
    }

    @Test func theAnswerOfALayerSetsCookiesWhereTheRequestWent() async throws {
        let jar = CookieJar()
        let answering = InterceptorMiddleware { _, _ in
            TransportResponse(
                head: HTTPResponse(status: .ok, headerFields: [.setCookie: "a=1"]), body: ResponseBody(Data()))
        }
        _ = try await makeClient(ScriptedTransport(), CookieMiddleware(jar), answering).call(.get, "/x/y")
        #expect(jar.cookies.map(\.description) == ["a for api.example/x"])
    }

    @Test func calledAtTheSameTimeNoCookieIsLost() async throws {
        let transport = ScriptedTransport { request in .status(200, fields: [.setCookie: "c\(request.number)=1"]) }
        let jar = CookieJar()
        let client = makeClient(transport, CookieMiddleware(jar))
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 { group.addTask { _ = try await client.call() } }
            try await group.waitForAll()
        }
        #expect(Set(jar.cookies.map(\.name)) == Set((0..<100).map { "c\($0)" }))
    }

    @Test func theReportKnowsThePlace() {
        let cookies = CookieMiddleware()
        func findings(_ layers: any NetworkMiddleware...) -> [String] {
            NetworkClient(configuration: makeConfiguration(layers)).pipelineReport.findings.map(\.fix)
        }
        #expect(findings(RedirectMiddleware(), RetryMiddleware(), cookies) == [])
        #expect(findings(cookies, RetryMiddleware()) == ["Move CookieMiddleware behind RetryMiddleware in the list."])
        #expect(
            findings(cookies, RedirectMiddleware()).contains(
                "Move CookieMiddleware behind RedirectMiddleware in the list."))
        #expect(findings(cookies, cookies) == ["Keep one of them."])
    }

    private func makeConfiguration(_ layers: [any NetworkMiddleware]) -> NetworkConfiguration {
        var configuration = makeClient(ScriptedTransport()).configuration
        configuration.middleware = layers
        return configuration
    }
}
