// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Testing

struct InterceptorMiddlewareTests {
    private func tag(_ value: String) -> InterceptorMiddleware {
        .before { request in
            var request = request
            request.head.headerFields[values: .accept].append(value)
            return request
        }
    }

    @Test func runInTheOrderOfTheList() async throws {
        let transport = ScriptedTransport()
        var configuration = makeClient(transport).configuration
        configuration.middleware = [tag("1"), tag("2")]
        configuration.interceptor = { request in
            var request = request
            request.head.headerFields[values: .accept].append("3")
            return request
        }
        _ = try await NetworkClient(configuration: configuration).call()
        #expect(transport.requests[0]["accept"] == "1, 2, 3")
    }

    @Test func seeTheResponseOfAnyStatusWithItsRequest() async throws {
        let transport = ScriptedTransport(.status(503))
        let after: InterceptorMiddleware = .after { response, request in
            #expect(request.head.path == "/x")
            #expect(response.head.status.code == 503)
            return TransportResponse(head: HTTPResponse(status: .ok))
        }
        #expect(try await makeClient(transport, after).call(.get, "/x").head.status == .ok)
    }

    @Test func mayAnswerByThemselvesOrRepeat() async throws {
        let transport = ScriptedTransport()
        let own: any NetworkMiddleware = .around { _, _ in TransportResponse(head: HTTPResponse(status: .teapot)) }
        #expect(try await makeClient(transport, own).call().head.status.code == 418)
        #expect(transport.requests.isEmpty)
        let twice: any NetworkMiddleware = .around { request, next in
            await (try await next(request)).body.discard()
            request.call?.nextAttempt(.other("twice"))
            return try await next(request)
        }
        let response = try await makeClient(transport, twice).call()
        #expect(response.exchange.attempts.map(\.reason) == [.first, .other("twice")])
    }

    @Test func aRequestsListReplacesTheClients() async throws {
        let transport = ScriptedTransport()
        let client = makeClient(transport, tag("client"))
        func send(_ middleware: [any NetworkMiddleware]?) async throws {
            _ = try await client.run(
                NetworkRequest<VoidRequest, VoidResponse>(path: "/", method: .get, middleware: middleware))
        }
        try await send(nil)
        try await send([tag("request")])
        try await send([])
        #expect(transport.requests.map { $0["accept"] } == ["client", "request", nil])
    }

    @Test func throwTheirOwnErrors() async {
        let failing: InterceptorMiddleware = .before { _ in throw TestError() }
        await #expect(throws: TestError()) { _ = try await makeClient(ScriptedTransport(), failing).call() }
    }
}

extension HTTPResponse.Status {
    fileprivate static let teapot = HTTPResponse.Status(code: 418)
}
