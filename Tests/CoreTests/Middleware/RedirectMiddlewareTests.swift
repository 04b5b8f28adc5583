// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import TestSupport
import Testing

struct RedirectMiddlewareTests {
    private func execute(
        _ transport: ScriptedTransport, _ method: HTTPMethod = .get, url: String = "https://a.example/1",
        fields: HTTPFields = [:], body: RequestBody = .empty, middleware: [any NetworkMiddleware] = [],
        options: (inout RequestOptions) -> Void = { _ in }
    ) async throws -> TransportResponse {
        let client = makeClient(transport, middleware: middleware)
        var request = try TransportRequest(method: method, url: url, headerFields: fields, body: body)
        options(&request.options)
        return try await client.execute(request)
    }

    @Test(
        arguments: [
            (301, HTTPMethod.post, HTTPMethod.get), (302, .post, .get), (303, .post, .get), (307, .post, .post),
            (308, .post, .post), (301, .put, .put), (303, .put, .get), (303, .head, .head), (302, .delete, .delete),
        ])
    func rewritesTheMethodAsRFC9110Says(status: Int, method: HTTPMethod, expected: HTTPMethod) async throws {
        let transport = ScriptedTransport(.redirect(status, to: "/2"), .status(200))
        _ = try await execute(transport, method, fields: [.contentType: "text/plain"], body: .data(Data("x".utf8)))
        let second = transport.requests[1]
        #expect(second.method == expected)
        let keepsBody = expected == method && status != 303
        #expect(second.hasBody == keepsBody)
        #expect((second["content-type"] != nil) == keepsBody)
    }

    @Test(arguments: ["https://b.example/2", "https://a.example:8443/2", "//b.example/2"])
    func leavesSecretsBehindOnAChangeOfOrigin(location: String) async throws {
        let transport = ScriptedTransport(.redirect(to: location), .redirect(to: "https://a.example/3"), .status(200))
        let key = try #require(HTTPField.Name("X-Api-Key"))
        let fields: HTTPFields = [
            .authorization: "Bearer t", .cookie: "a=1", .proxyAuthorization: "p", key: "k", .accept: "text/plain",
        ]
        let plan = try #require(HTTPField.Name("X-Plan"))
        let response = try await execute(transport, fields: fields + [plan: "free"]) { $0.sensitiveFields = [plan] }
        for request in transport.requests.dropFirst() {
            #expect(request.head.headerFields.map(\.name) == [.accept])
        }
        #expect(
            response.exchange.attempts[1].reason
                == .redirect(
                    status: 302, dropped: ["authorization", "cookie", "proxy-authorization", "x-api-key", "x-plan"]))
    }

    @Test func keepsSecretsWithinTheOrigin() async throws {
        let transport = ScriptedTransport(.redirect(to: "https://A.example:443/2"), .status(200))
        _ = try await execute(transport, fields: [.authorization: "Bearer t"])
        #expect(transport.requests[1]["authorization"] == "Bearer t")
    }

    @Test func theInterceptorSetsNoSecretsWhereARedirectLed() async throws {
        let transport = ScriptedTransport(
            .redirect(to: "/2"), .redirect(to: "https://b.example/3"), .redirect(to: "/4"),
            .redirect(to: "https://a.example/5"), .status(200))
        let key = try #require(HTTPField.Name("X-Tenant-Key"))
        let host = try #require(HTTPField.Name("Host"))
        let client = makeClient(transport) {
            $0.interceptor = { request in
                var request = request
                request.head.headerFields[.authorization] = "Bearer t"
                request.head.headerFields[.cookie] = "a=1"
                request.head.headerFields[.userAgent] = "demo/1"
                request.head.headerFields[key] = "k"
                request.head.headerFields[host] = "virtual.example"
                request.options.sensitiveFields.insert(key)
                return request
            }
        }
        _ = try await client.execute(TransportRequest(url: "https://a.example/1"))
        let withSecrets: [HTTPField.Name] = [.authorization, .cookie, .userAgent, key, host]
        #expect(
            transport.requests.map { $0.head.headerFields.map(\.name) } == [
                withSecrets, withSecrets, [.userAgent], [.userAgent], withSecrets,
            ])
    }

    @Test func theInterceptorLeavesTheSecretsOfALayerFurtherOut() async throws {
        let transport = ScriptedTransport(.redirect(to: "https://b.example/2"), .status(200))
        let layer = Around { request, next in
            var request = request
            request.head.headerFields[.authorization] = "Bearer \(request.head.authority ?? "")"
            return try await next(request)
        }
        let client = makeClient(transport, middleware: [layer]) { $0.interceptor = { $0 } }
        _ = try await client.execute(TransportRequest(url: "https://a.example/1"))
        #expect(transport.requests.map { $0["authorization"] } == ["Bearer a.example", "Bearer b.example"])
    }

    @Test func theInterceptorSetsItsSecretsAgainWhenTheWholeChainIsRepeated() async throws {
        let hop = ScriptedReply.redirect(to: "https://b.example/2")
        let transport = ScriptedTransport(hop, .status(503), hop, .status(200))
        let again = Around { request, next in
            await (try next(request)).body.discard()
            return try await next(request)
        }
        let client = makeClient(transport, middleware: [again, RedirectMiddleware()]) {
            $0.interceptor = { request in
                var request = request
                request.head.headerFields[.authorization] = "Bearer t"
                return request
            }
        }
        _ = try await client.execute(TransportRequest(url: "https://a.example/1"))
        #expect(transport.requests.map { $0["authorization"] } == ["Bearer t", nil, "Bearer t", nil])
    }

    @Test func keepsTheCallersHostWithinTheOrigin() async throws {
        let transport = ScriptedTransport(
            .redirect(to: "/2"), .redirect(to: "https://b.example/3"), .status(200))
        let host = try #require(HTTPField.Name("Host"))
        let response = try await execute(transport, fields: [host: "virtual.example"])
        #expect(transport.requests.map { $0["host"] } == ["virtual.example", "virtual.example", nil])
        let reasons: [ExchangeRecord.Reason] = [
            .first, .redirect(status: 302, dropped: []), .redirect(status: 302, dropped: ["host"]),
        ]
        #expect(response.exchange.attempts.map(\.reason) == reasons)
    }

    @Test func refusesTheStepFromHTTPSToHTTPUnlessAllowed() async throws {
        let transport = ScriptedTransport(.redirect(to: "http://a.example/2"), .status(200))
        await #expect {
            _ = try await execute(transport)
        } throws: {
            isFailure($0, .invalidRedirect)
        }
        let second = ScriptedTransport(.redirect(to: "http://a.example/2"), .status(200))
        _ = try await execute(second, fields: [.authorization: "t"]) { $0.redirects.allowsDowngrade = true }
        #expect(second.requests[1]["authorization"] == nil)
    }

    @Test func aRedirectsBodyMayBeBeyondTheLimit() async throws {
        let body = Data(count: 1000)
        let streamed = PiecesSource([body])
        for first in [
            ScriptedReply.status(302, fields: [.location: "/2"], body: body),
            .source(status: 302, fields: [.location: "/2"]) { streamed },
        ] {
            let transport = ScriptedTransport(first, .status(200, body: body))
            let response = try await execute(transport) { $0.maximumResponseBytes = 100 }
            #expect(response.head.status == .ok)
            #expect(response.exchange.attempts.map(\.error) == [nil, nil])
            await #expect {
                _ = try await response.body.collect()
            } throws: {
                isFailure($0, .bodyTooLarge)
            }
        }
    }

    @Test func stopsAtTheLimit() async throws {
        let transport = ScriptedTransport(.redirect(to: "/again"))
        await #expect {
            _ = try await execute(transport)
        } throws: {
            isFailure($0, .tooManyRedirects) && ($0 as? NetworkClientError)?.exchange?.attempts.count == 21
        }
        #expect(transport.requests.count == 21)
    }

    @Test func sendsNoBodyToTheTargetOfASeeOther() async throws {
        let transport = ScriptedTransport(.redirect(303, to: "/2"), .status(200))
        let body = RequestBody.stream(from: AsyncStream { $0.finish() } as AsyncStream<Data>)
        _ = try await execute(transport, .get, fields: [.contentType: "text/plain", .accept: "*/*"], body: body)
        #expect(transport.requests[0].hasBody)
        #expect(!transport.requests[1].hasBody)
        #expect(transport.requests[1].head.headerFields == [.accept: "*/*"])
    }

    @Test(arguments: [
        "Digest", "Content-Digest", "Repr-Digest", "Content-MD5", "Content-Range", "Content-Disposition",
    ])
    func leavesWhatDescribesTheBodyBehindWithIt(name: String) async throws {
        let transport = ScriptedTransport(.redirect(to: "/2"), .status(200))
        var fields: HTTPFields = [.accept: "*/*"]
        try fields.setValue("x", forName: name)
        _ = try await execute(transport, .post, fields: fields, body: .data(Data("x".utf8)))
        #expect(transport.requests[0][name] == "x")
        #expect(transport.requests[1].head.headerFields == [.accept: "*/*"])
    }

    @Test(arguments: ["", " ", "\t "])
    func handsUpARedirectThatNamesNoTarget(location: String) async throws {
        let transport = ScriptedTransport(.redirect(to: location), .status(200))
        #expect(try await execute(transport).head.status == .found)
        #expect(transport.requests.count == 1)
    }

    @Test func handsTheRedirectUpWhenToldTo() async throws {
        let transport = ScriptedTransport(.redirect(to: "/2"))
        let response = try await execute(transport) { $0.redirects = .manual }
        #expect(response.head.status == .found)
        #expect(transport.requests.count == 1)
    }

    @Test func refusesToSendAOneShotBodyAgain() async throws {
        let transport = ScriptedTransport(.redirect(307, to: "/2"), .status(200))
        let body = RequestBody.stream(from: AsyncStream { $0.finish() } as AsyncStream<Data>)
        await #expect {
            _ = try await execute(transport, .post, body: body)
        } throws: {
            isFailure($0, .bodyNotReplayable)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func ignoresCredentialsInTheTarget() async throws {
        let transport = ScriptedTransport(.redirect(to: "https://user:pass@b.example/2"), .status(200))
        _ = try await execute(transport)
        #expect(transport.requests[1].url == "https://b.example/2")
        #expect(transport.requests[1]["authorization"] == nil)
    }

    @Test func showsEachHopToWhatStandsInside() async throws {
        let log = Log()
        let inner = Around { request, next in
            await log.add("in \(request.head.path ?? "")")
            return try await next(request)
        }
        let outer = Around { request, next in
            await log.add("out \(request.head.path ?? "")")
            return try await next(request)
        }
        let transport = ScriptedTransport(.redirect(to: "/2"), .status(200))
        _ = try await execute(transport, middleware: [outer, RedirectMiddleware(), inner])
        #expect(await log.lines == ["out /1", "in /1", "in /2"])
    }

    @Test func aLayersOwnAnswerIsThatOfTheHop() async throws {
        let own = Around { request, next in
            request.head.path == "/2" ? TransportResponse(head: HTTPResponse(status: .ok)) : try await next(request)
        }
        let transport = ScriptedTransport(.redirect(to: "https://b.example/2"))
        let response = try await execute(transport, middleware: [own])
        #expect(response.url == "https://b.example/2")
        #expect(response.exchange.attempts.count == 1)
    }

    @Test func tooManyRedirectsAreRecordedWhoeverMakesTheResponses() async throws {
        let anew = Around { request, next in
            let response = try await next(request)
            return TransportResponse(head: response.head, body: response.body)
        }
        let transport = ScriptedTransport(.redirect(to: "/2"))
        await #expect {
            _ = try await execute(transport, middleware: [anew]) { $0.redirects.limit = 2 }
        } throws: { error in
            isFailure(error, .tooManyRedirects) && (error as? NetworkClientError)?.exchange?.attempts.count == 3
        }
    }

    /// The server names others for the target.
    @Test func dropsCredentialsWhereTheTargetHasItsOwn() async throws {
        let transport = ScriptedTransport(
            .redirect(to: "https://user:pass@a.example/2"), .redirect(to: "/3"), .status(200))
        let response = try await execute(
            transport, fields: [.authorization: "Bearer t", .cookie: "a=1", .accept: "*/*"])
        #expect(transport.requests.map { $0["authorization"] } == ["Bearer t", nil, nil])
        #expect(transport.requests.map { $0["cookie"] } == ["a=1", "a=1", "a=1"])
        #expect(transport.requests.map(\.url).last == "https://a.example/3")
        #expect(response.exchange.attempts[1].reason == .redirect(status: 302, dropped: ["authorization"]))
        #expect(response.exchange.attempts[2].reason == .redirect(status: 302, dropped: []))
    }

    /// They need not be UTF-8.
    @Test func escapesTheBytesOfATargetThatAreNotASCII() async throws {
        let fields = HTTPFields([HTTPField(name: .location, value: Array("/".utf8) + [0x7E, 0x80, 0xFF])])
        let transport = ScriptedTransport(.status(302, fields: fields), .status(200))
        _ = try await execute(transport)
        #expect(transport.requests[1].url == "https://a.example/~%80%FF")
    }
}
