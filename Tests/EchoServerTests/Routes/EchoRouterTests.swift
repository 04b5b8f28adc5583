// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import EchoServer

struct EchoRouterTests {
    @Test func unknownPathsAreNotFound() async throws {
        #expect(try await ask("/nope").statusCode == 404)
        #expect(try await ask("/get/").statusCode == 404)
        #expect(try await ask("/bytes/x").statusCode == 404)
    }

    @Test func otherMethodsAreNotAllowed() async throws {
        let response = try await ask("/get", .put)
        #expect(response.statusCode == 405)
        #expect(response.headers[.allow] == "GET, HEAD, OPTIONS")
        #expect(try await ask("/post").headers[.allow] == "OPTIONS, POST")
    }

    @Test func headHasTheLengthButNoBody() async throws {
        let get = try await ask("/get")
        let head = try await ask("/get", .head)
        #expect(head.statusCode == 200)
        #expect(head.bytes.isEmpty)
        #expect(head.headers[.contentLength] == get.headers[.contentLength])
        #expect(try await ask("/anything", .head).bytes.isEmpty)
    }

    @Test(arguments: ["/nope", "/delay/-1", "/redirect/0", "/response-headers?=x", "/post", "/status/x"])
    func headOfAnErrorHasTheLengthButNoBody(target: String) async throws {
        let get = try await ask(target)
        let head = try await ask(target, .head)
        #expect(head.statusCode == get.statusCode)
        #expect(head.bytes.isEmpty)
        #expect(head.headers[.contentLength] == get.headers[.contentLength])
    }

    @Test func preflightsAreAnswered() async throws {
        let response = try await ask(
            "/post", .options, fields: [.origin: "http://o", .accessControlRequestHeaders: "X-A"])
        #expect(response.statusCode == 200)
        #expect(response.headers[.accessControlAllowOrigin] == "http://o")
        #expect(response.headers[.accessControlAllowHeaders] == "X-A")
    }

    @Test func everyOriginMayRead() async throws {
        #expect(try await ask("/get").headers[.accessControlAllowOrigin] == "*")
        #expect(try await ask("/nope").headers[.accessControlAllowCredentials] == "true")
    }

    @Test func theHealthPathIsARoute() async throws {
        let response = try await ask(EchoSettings.healthPath)
        #expect(response.statusCode == 200)
        #expect(try response.json([String: String].self) == ["status": "ok"])
    }

    @Test func theFrontPageListsTheRoutes() async throws {
        let lines = try await ask("/").text.split(separator: "\n").map(String.init)
        #expect(lines.count == EchoRouter.allRoutes.count)
        #expect(lines.contains("/status/{codes}"))
    }

    @Test func absoluteFormIsServed() async throws {
        #expect(try await ask("http://other.example/get?a=1").json(HTTPBinAnswer.self).args == ["a": "1"])
    }
}
