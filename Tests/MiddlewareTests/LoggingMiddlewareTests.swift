// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Logging
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Testing

struct LoggingMiddlewareTests {
    private let log = LogCollector()

    private func logging(
        _ details: LoggingMiddleware.Details = [], level: Logger.Level = .trace, scope: ObservationScope = .call
    ) -> LoggingMiddleware {
        LoggingMiddleware(log.logger(level), details: details, scope: scope)
    }

    // MARK: The line

    @Test func writesOneLineACall() async throws {
        let transport = ScriptedTransport(.status(503), .redirect(to: "/2"), .text("hello"))
        let client = makeClient(transport, logging(), RetryMiddleware(backoff: .constant(.seconds(2))))
        _ = try await client.call(.get, "/1?page=2")
        #expect(log.messages == ["GET https://api.example/1?page=2 -> 200 in 2000 ms, 5 bytes, 3 attempts"])
        #expect(log.lines[0].level == .info)
    }

    @Test(arguments: [
        (200, Logger.Level.info), (304, .info), (404, .warning), (429, .warning), (500, .error), (503, .error),
    ])
    func tellsTheOutcomeByTheLevel(status: Int, level: Logger.Level) async throws {
        _ = try await makeClient(ScriptedTransport(.status(status)), logging()).call()
        let refusing = makeClient(ScriptedTransport(.status(status)), logging(), StatusValidationMiddleware())
        _ = try? await refusing.call()
        let asking = makeClient(ScriptedTransport(.status(status, retryAfter: 5)), logging(), RetryAfterMiddleware())
        _ = try? await asking.call()
        #expect(log.lines.map(\.level) == [level, level, level])
        _ = try await makeClient(ScriptedTransport(.pieces([Data("ab".utf8)], status: status)), logging()).call()
        #expect(log.lines.last?.level == level, "given up")
    }

    @Test func tellsOfAStatusThatIsRefusedFurtherIn() async throws {
        let client = makeClient(
            ScriptedTransport(.status(503), .text("gone", status: 404)), logging(), StatusValidationMiddleware(),
            RetryMiddleware(backoff: .none))
        await #expect(throws: NetworkClientError.self) { _ = try await client.call() }
        #expect(
            log.messages == [
                "GET https://api.example/ -> 404, refused after 0 ms: unacceptableStatus: "
                    + "the server answered with status 404, 2 attempts, no retry: status 404 is not retried"
            ])
    }

    @Test func tellsWhyThereIsNoResponse() async throws {
        let failed = makeClient(ScriptedTransport(.failure(.connectionLost)), logging())
        await #expect(throws: NetworkClientError.self) { _ = try await failed.call() }
        #expect(log.messages == ["GET https://api.example/ failed after 0 ms: connectionLost: scripted failure"])
        #expect(log.lines[0].level == .error)
    }

    @Test func tellsOnlyTheTypeOfErrorsOfOthers() async throws {
        let client = makeClient(ScriptedTransport(.failure(TestError(name: "anything"))), logging())
        await #expect(throws: TestError.self) { _ = try await client.call() }
        #expect(log.messages == ["GET https://api.example/ failed after 0 ms: TestError"])
    }

    @Test func tellsOfACancelledCall() async throws {
        let client = makeClient(ScriptedTransport(.failure(CancellationError())), logging())
        await #expect(throws: CancellationError.self) { _ = try await client.call() }
        #expect(log.messages == ["GET https://api.example/ cancelled after 0 ms"])
        #expect(log.lines[0].level == .info)
    }

    @Test func waitsForTheEndOfTheBody() async throws {
        let client = makeClient(ScriptedTransport(.pieces([Data("ab".utf8), Data("cde".utf8)])), logging())
        let response = try await client.call()
        #expect(log.lines.isEmpty)
        #expect(try await response.body.collect() == Data("abcde".utf8))
        #expect(log.messages == ["GET https://api.example/ -> 200 in 0 ms, 5 bytes"])
    }

    @Test func tellsOfABodyThatBreaksOrIsGivenUp() async throws {
        let broken = ScriptedReply.pieces([Data("ab".utf8)], failure: NetworkClientError(.connectionLost, "reset"))
        let client = makeClient(ScriptedTransport(broken), logging())
        await #expect(throws: NetworkClientError.self) { _ = try await client.call().body.collect() }
        #expect(
            log.messages == ["GET https://api.example/ -> 200, body failed after 0 ms, 2 bytes: connectionLost: reset"])
        _ = try await makeClient(ScriptedTransport(.pieces([Data("ab".utf8)])), logging()).call()
        #expect(log.messages.last == "GET https://api.example/ -> 200, body given up after 0 ms, 0 bytes")
        #expect(log.lines.map(\.level) == [.error, .info])
    }

    @Test func leavesABodyThatHasArrivedWhole() async throws {
        let response = try await makeClient(ScriptedTransport(.text("x")), logging(.everything)).call()
        #expect(response.body.data == Data("x".utf8))
    }

    @Test func writesALineAnAttemptInside() async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        _ = try await makeClient(
            transport, RetryMiddleware(backoff: .none), logging(.requestFields, scope: .attempt)
        ).call(fields: [.accept: "a/b"])
        #expect(
            log.messages == [
                "-> GET https://api.example/\n  Accept: a/b",
                "GET https://api.example/ -> 503 in 0 ms, 0 bytes",
                "-> GET https://api.example/ [retry(503, waited 0 s)]\n  Accept: a/b",
                "GET https://api.example/ [retry(503, waited 0 s)] -> 200 in 0 ms, 0 bytes",
            ])
    }

    @Test func carriesTheRequestIDAsMetadata() async throws {
        let id = RequestIDMiddleware { "id-1" }
        _ = try await makeClient(ScriptedTransport(), logging(), id).call()
        _ = try await makeClient(ScriptedTransport(), logging()).call(fields: [.requestID: "mine"])
        _ = try await makeClient(ScriptedTransport(), logging()).call()
        #expect(log.lines.map(\.metadata) == [["request-id": "id-1"], ["request-id": "mine"], [:]])
        _ = try await makeClient(ScriptedTransport(), logging(), id).call(fields: [.requestID: "mine"])
        #expect(log.lines.last?.metadata == ["request-id": "id-1"], "what was sent")
    }

    @Test func writesNothingBelowTheLoggersLevel() async throws {
        _ = try await makeClient(ScriptedTransport(), logging(.everything, level: .info)).call()
        #expect(log.lines.count == 1)
        _ = try await makeClient(ScriptedTransport(), logging(.everything, level: .error)).call()
        #expect(log.lines.count == 1)
    }

    @Test func nobodyForgesALine() async throws {
        var request = try TransportRequest(url: "https://api.example/")
        request.head.path = "/a\nGET https://api.example/ -> 200\u{1b}[2J"
        await #expect(throws: NetworkClientError.self) {
            _ = try await makeClient(ScriptedTransport(), logging()).execute(request)
        }
        #expect(log.messages.count == 1)
        #expect(log.messages[0].unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    @Test func showsNoUserInformationOfAnAuthorityMadeByHand() async throws {
        var request = try TransportRequest(url: "https://api.example/")
        request.head.authority = "me:\(Secret.password)/\(Secret.password)@api.example"
        await #expect(throws: NetworkClientError.self) {
            _ = try await makeClient(ScriptedTransport(), logging()).execute(request)
        }
        #expect(log.messages.count == 1)
        #expect(log.messages[0].hasPrefix("GET https://api.example/ failed"))
    }

    // MARK: Details

    @Test func writesFieldsWithoutSecrets() async throws {
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        let transport = ScriptedTransport(
            .status(
                200,
                fields: [
                    .setCookie: "sid=\(Secret.cookie)", .location: "/x?access_token=\(Secret.token)", .server: "s",
                ]))
        _ = try await makeClient(transport, logging(.fields)).call(
            fields: [
                .authorization: "Bearer \(Secret.token)", .cookie: Secret.cookie, .apiKey: Secret.apiKey,
                tenant: Secret.password, .accept: "a/b", .referer: "https://me:\(Secret.password)@b.example/",
            ]
        ) { $0.sensitiveFields = [tenant] }
        let text = log.messages.joined(separator: "\n")
        #expect(text.contains("Accept: a/b"))
        #expect(text.contains("Server: s"))
        #expect(text.contains("Authorization: ***"))
        #expect(text.contains("X-Tenant: ***"))
        #expect(text.contains("Set-Cookie: ***"))
        #expect(text.contains("Location: /x?access_token=***"))
        #expect(text.contains("Referer: https://***@b.example/"))
    }

    @Test func hidesWhatALayerFurtherInMarksAsSecret() async throws {
        let link = try #require(HTTPField.Name("Link"))
        let url = "https://api.example/?appid=\(Secret.apiKey)&page=2"
        let transport = ScriptedTransport(
            .json(#"{"url":"\#(url)","args":{"appid":"\#(Secret.apiKey)"}}"#, fields: [link: "<\(url)>; rel=next"]))
        _ = try await makeClient(
            transport, logging(.everything), APIKeyMiddleware(Secret.apiKey, in: .query("appid"))
        ).call()
        let text = log.messages.joined(separator: "\n")
        #expect(text.contains("Link: <https://api.example/?appid=***&page=2>; rel=next"))
        #expect(text.contains(#"{"url":"https://api.example/?appid=***&page=2","args":{"appid":"***"}}"#))
    }

    @Test func hidesWhatALayerFurtherInHadMarkedBeforeARedirect() async throws {
        let transport = ScriptedTransport(.redirect(to: "/v2/?appid=\(Secret.apiKey)"), .status(200))
        _ = try await makeClient(
            transport, logging(.curl, scope: .attempt), APIKeyMiddleware(Secret.apiKey, in: .query("appid"))
        ).call()
        #expect(log.messages.contains { $0.hasPrefix("curl 'https://api.example/v2/?appid=***' ") })
    }

    @Test func hidesWhatWasMarkedBeforeALayerMadeTheRequestAnew() async throws {
        let log = LogCollector()
        let anew = InterceptorMiddleware.before { TransportRequest(head: $0.head, body: $0.body) }
        let tenant = HTTPField.Name.known("X-Tenant")
        let marked = HTTPField.Name.known("X-Marked")
        let around = HTTPField.Name.known("X-Around")
        let marking = InterceptorMiddleware.before { request in
            var request = request
            request.head.headerFields[marked] = Secret.token
            request.options.sensitiveFields.insert(marked)
            return request
        }
        let alsoMarking = InterceptorMiddleware.around { request, next in
            var request = request
            request.head.headerFields[around] = Secret.token
            request.options.sensitiveFields.insert(around)
            return try await next(request)
        }
        let client = makeClient(
            ScriptedTransport(), anew, DefaultFieldsMiddleware([tenant: Secret.token], sensitive: [tenant]), anew,
            APIKeyMiddleware(Secret.apiKey, in: .query("k")), anew, marking, anew, alsoMarking, anew,
            LoggingMiddleware(log.logger(), details: .everything, scope: .attempt))
        let own = HTTPField.Name.known("X-Own")
        _ = try await client.call(fields: [own: Secret.password]) { $0.sensitiveFields = [own] }
        #expect(log.messages.joined().contains("?k=***"))
        #expect(log.messages.joined().contains("X-Tenant: ***"))
        #expect(log.messages.joined().contains("X-Marked: ***"))
        #expect(log.messages.joined().contains("X-Around: ***"))
    }

    @Test func hidesTheWholeOfASecretInTheURL() async throws {
        var request = try TransportRequest(url: "https://api.example/")
        request.head.path = "/?password=it's\"\(Secret.password)&page=2"
        _ = try await makeClient(ScriptedTransport(), logging()).execute(request)
        #expect(log.messages == ["GET https://api.example/?password=***&page=2 -> 200 in 0 ms, 0 bytes"])
    }

    @Test func writesBodiesUpToTheLimitWithoutSecrets() async throws {
        let transport = ScriptedTransport(
            .json(
                #"{"access_token": "\#(Secret.token)", "page": 1, "text": "0123456789012345678901234567890123456789"}"#)
        )
        var middleware = logging(.bodies)
        middleware.bodyLimit = 70
        let form = "grant_type=x&client_secret=\(Secret.clientSecret)&page=2"
        _ = try await makeClient(transport, middleware).call(
            .post, fields: [.contentType: "application/x-www-form-urlencoded"], body: .data(Data(form.utf8)))
        #expect(log.messages[0] == "-> body: grant_type=x&client_secret=***&page=2")
        #expect(log.messages[1].hasPrefix(#"<- body: {"access_token": "***", "page": 1, "text": "0123"#))
        #expect(log.messages[1].hasSuffix(" bytes"))
    }

    @Test func copiesStreamsAsTheyPass() async throws {
        let transport = ScriptedTransport(
            .pieces([Data("one ".utf8), Data("two".utf8)], fields: [.contentType: "text/plain"]))
        let body = RequestBody.stream(isReplayable: false) { PiecesSource([Data("up ".utf8), Data("load".utf8)]) }
        let response = try await makeClient(transport, logging(.bodies)).call(
            .post, fields: [.contentType: "text/plain"], body: body)
        #expect(log.messages == ["-> body: up load"])
        #expect(transport.requests[0].text == "up load")
        _ = try await response.body.collect()
        #expect(log.messages[1] == "<- body: one two")
    }

    @Test(arguments: ["", "1", "12"]) func writesABodyIfItHasAnything(_ text: String) async throws {
        let body = RequestBody.stream(isReplayable: true) { PiecesSource([Data(text.utf8)]) }
        let transport = ScriptedTransport(.text(text))
        let response = try await makeClient(transport, logging(.bodies)).call(
            .post, fields: [.contentType: "text/plain"], body: body)
        _ = try await response.body.collect()
        let expected = text.isEmpty ? [] : ["-> body: \(text)", "<- body: \(text)"]
        #expect(log.messages.filter { $0.contains(" body: ") } == expected)
    }

    @Test func writesABodyThatIsSentAgainOnce() async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        let body = RequestBody.stream(isReplayable: true) { PiecesSource([Data("hel".utf8), Data("lo".utf8)]) }
        var middleware = logging(.requestBody)
        middleware.bodyLimit = 4
        _ = try await makeClient(transport, middleware, RetryMiddleware(backoff: .none)).call(
            .put, fields: [.contentType: "text/plain"], body: body)
        #expect(transport.requests.map(\.text) == ["hello", "hello"])
        #expect(log.messages[0] == "-> body: hell … and 1 bytes")
    }

    @Test func keepsNothingOfAStreamOfEvents() async throws {
        let transport = ScriptedTransport(.events("data: \(Secret.token)\n\n"))
        let response = try await makeClient(transport, logging(.everything)).call()
        for try await _ in response.body {}
        #expect(log.messages.last?.hasSuffix("22 bytes") == true, "\(log.messages)")
        #expect(!log.messages.contains { $0.contains("<- body") })
    }

    @Test func writesWhyEachAttemptWasMade() async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        _ = try await makeClient(transport, logging(.attempts), RetryMiddleware(backoff: .none)).call()
        #expect(log.messages[0].contains("#1 first: GET https://api.example/ -> 503"))
        #expect(log.messages[0].contains("#2 retry(503, waited 0 s): GET https://api.example/ -> 200"))
    }

    @Test func hidesInAttemptsWhatItHidesInItsLine() async throws {
        let transport = ScriptedTransport(.status(302, fields: [.location: "/y;jsessionid=S2"]), .status(200))
        _ = try await makeClient(transport, logging(.attempts)).call(.get, "/x;jsessionid=S1")
        #expect(log.messages[0].contains("GET https://api.example/x;jsessionid=***"))
        #expect(!log.messages.contains { $0.contains("S1") || $0.contains("S2") })
    }

    @Test func writesTheCurlCommand() async throws {
        _ = try await makeClient(ScriptedTransport(), logging(.curl)).call(fields: [.authorization: Secret.token])
        #expect(log.messages[0].hasSuffix(" --header 'Authorization: ***'"))
    }
}
