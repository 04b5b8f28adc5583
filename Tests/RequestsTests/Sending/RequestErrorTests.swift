// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import StrataTesting
import Testing

struct RequestErrorTests {
    private let request = Request(.get, url: usersURL, configuration: .init(parseHTTPStatusErrors: true))

    private func failure(_ replies: ScriptedReply..., request: Request? = nil) async throws -> RequestError {
        let error = await #expect(throws: RequestError.self) {
            try await (request ?? self.request).send(client: client(ScriptedTransport(replies)))
        }
        return try #require(error)
    }

    @Test(arguments: [
        (400, RequestError.HTTPError.ErrorType.badRequest), (401, .unauthorized), (403, .forbidden), (404, .notFound),
        (405, .other), (409, .other), (415, .unsupportedMediaType), (429, .tooManyRequests), (500, .server),
        (503, .server), (599, .server), (600, .other),
    ])
    func aStatusIsAnErrorWithTheWholeResponse(_ status: Int, _ type: RequestError.HTTPError.ErrorType) async throws {
        let body = String(repeating: "x", count: 100_000)
        let error = try await failure(.text(body, status: status))
        guard case .httpStatus(let request, let httpError) = error else { throw error }
        #expect(request == self.request)
        #expect(httpError.statusCode == status)
        #expect(httpError.type == type)
        #expect(httpError.response.data == Data(body.utf8))
        #expect(httpError.response.urlResponse.statusCode == status)
        #expect((error.underlyingError as? NetworkClientError)?.exchange?.attempts.count == 1)
    }

    @Test(arguments: [400, 404, 500]) func aStatusIsNoErrorUnlessAskedFor(_ status: Int) async throws {
        let request = Request(.get, url: usersURL)
        let response = try await request.send(client: client(ScriptedTransport(.text("no", status: status))))
        #expect(response.urlResponse.statusCode == status)
        #expect(response.data == Data("no".utf8))
    }

    @Test(arguments: [200, 204, 299, 300, 304, 399]) func theseAreNeverErrors(_ status: Int) async throws {
        let response = try await request.send(client: client(ScriptedTransport(.status(status))))
        #expect(response.urlResponse.statusCode == status)
        #expect(RequestError.HTTPError(response: response) == nil)
    }

    @Test(arguments: [
        (
            NetworkClientError.Code.cannotConnect, URLError.Code.notConnectedToInternet,
            URLError.Code.notConnectedToInternet
        ),
        (.tlsFailed, .serverCertificateUntrusted, .serverCertificateUntrusted),
        (.connectionLost, .cancelled, .networkConnectionLost),
    ])
    func theCodeIsTheSessionsOwn(
        _ code: NetworkClientError.Code, _ cause: URLError.Code, _ expected: URLError.Code
    ) async throws {
        let error = try await failure(.failure(NetworkClientError(code, "", cause: URLError(cause))))
        guard case .urlError(_, let urlError) = error else { throw error }
        #expect(urlError.code == expected)
    }

    @Test func theCodeOfARealSessionIsKept() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Offline.self]
        let error = await #expect(throws: RequestError.self) {
            try await request.send(session: URLSession(configuration: configuration))
        }
        guard case .urlError(_, let urlError) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(urlError.code == .notConnectedToInternet)
    }

    @Test func typedCallsCheckTheStatusToo() async throws {
        let error = await #expect(throws: RequestError.self) {
            let _: User = try await request.send(client: client(ScriptedTransport(.json("{}", status: 404))))
        }
        guard case .httpStatus(_, let httpError) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(httpError.type == .notFound)
        #expect(httpError.response.data == Data("{}".utf8))
    }

    @Test func aStatusCountsMoreThanWhatGoesWrongWithTheBody() async throws {
        let lost = NetworkClientError(.connectionLost, "lost")
        let cut = ScriptedReply.pieces([Data("fo".utf8)], status: 503, length: 4, failure: lost)
        let large = ScriptedReply.pieces([Data("fo".utf8), Data("ur".utf8)], status: 503)
        let limited = request.settingOptions { $0.maximumResponseBytes = 2 }
        let typed = await #expect(throws: RequestError.self) {
            let _: User = try await request.send(client: client(ScriptedTransport(cut)))
        }
        let errors = [try await failure(cut), try #require(typed), try await failure(large, request: limited)]
        for error in errors {
            guard case .httpStatus(_, let httpError) = error else { throw error }
            #expect(httpError.statusCode == 503)
            #expect(httpError.response.data == Data("fo".utf8))
            #expect((error.underlyingError as? NetworkClientError)?.body == Data("fo".utf8))
        }
    }

    @Test func aBodyThatTricklesDoesNotKeepTheStatusBack() async throws {
        /// A byte every 0.8 seconds, for ever.
        final class Trickle: BodySource {
            let clock: VirtualClock
            init(_ clock: VirtualClock) { self.clock = clock }
            func next() -> Data? {
                clock.advance(by: .milliseconds(800))
                return Data("x".utf8)
            }
            func cancel() {}
        }
        let clock = VirtualClock()
        var configuration = NetworkConfiguration(
            baseURL: nil, transport: ScriptedTransport(.source(status: 500) { Trickle(clock) }))
        configuration.clock = clock
        let client = NetworkClient(configuration: configuration)
        let error = await #expect(throws: RequestError.self) { try await request.send(client: client) }
        guard case .httpStatus(_, let httpError) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect((12...13).contains(httpError.response.data.count))
    }

    @Test func optionsMayAcceptOtherStatuses() async throws {
        let strict = request.settingOptions { $0.acceptableStatus = .codes(200) }
        let error = try await failure(.status(304), request: strict)
        guard case .other(_, let message) = error else { throw error }
        #expect(message.contains("304"))
        let lenient = request.settingOptions { $0.acceptableStatus = .any }
        #expect(try await lenient.send(client: client(ScriptedTransport(.status(404)))).urlResponse.statusCode == 404)
    }

    @Test(arguments: [
        (NetworkClientError.Code.dnsFailed, URLError.Code.cannotFindHost), (.cannotConnect, .cannotConnectToHost),
        (.tlsFailed, .secureConnectionFailed), (.connectionLost, .networkConnectionLost), (.timedOut, .timedOut),
        (.protocolViolation, .badServerResponse), (.contentEncodingFailed, .cannotDecodeContentData),
        (.proxyFailed, .cannotConnectToHost), (.tooManyRedirects, .httpTooManyRedirects),
        (.invalidRedirect, .redirectToNonExistentLocation), (.bodyTooLarge, .dataLengthExceedsMaximum),
        (.malformedURL, .badURL),
    ])
    func failuresOfTheExchangeAreURLErrors(_ code: NetworkClientError.Code, _ expected: URLError.Code) async throws {
        let error = try await failure(.failure(code))
        guard case .urlError(let request, let urlError) = error else { throw error }
        #expect(request == self.request)
        #expect(urlError.code == expected)
        #expect((error.underlyingError as? NetworkClientError)?.code == code)
        #expect((urlError.userInfo[NSUnderlyingErrorKey] as? NetworkClientError)?.code == code)
    }

    @Test func theURLErrorOfATransportIsDescribedWithoutItsURL() async throws {
        let thrown = URLError(
            .timedOut, userInfo: ["NSErrorFailingURLStringKey": "https://example.com/users?token=s3cret"])
        let error = try await failure(.failure(thrown))
        guard case .urlError(_, let kept) = error else { throw error }
        #expect(kept.code == .timedOut)
        #expect(error.description.hasPrefix("GET https://example.com/users: URL error -1001: "))
        #expect(!error.description.contains("s3cret"))
    }

    @Test func aURLThatCannotBeSentIsABadURL() async throws {
        let error = try await failure(.status(200), request: Request(.get, url: URL(string: "mailto:ada@example.com")!))
        guard case .urlError(_, let urlError) = error else { throw error }
        #expect(urlError.code == .badURL)
    }

    @Test func aBodyThatIsTooLargeIsAnError() async throws {
        let request = request.settingOptions { $0.maximumResponseBytes = 3 }
        for reply in [ScriptedReply.text("four"), .pieces([Data("fo".utf8), Data("ur".utf8)])] {
            let error = try await failure(reply, request: request)
            guard case .urlError(_, let urlError) = error else { throw error }
            #expect(urlError.code == .dataLengthExceedsMaximum)
        }
    }

    @Test func aBodyThatIsCutShortIsAnError() async throws {
        let lost = NetworkClientError(.connectionLost, "lost")
        let error = try await failure(.pieces([Data("fo".utf8)], length: 4, failure: lost))
        guard case .urlError(_, let urlError) = error else { throw error }
        #expect(urlError.code == .networkConnectionLost)
        #expect((error.underlyingError as? NetworkClientError)?.response?.status.code == 200)
    }

    @Test func whatCannotBeDecodedIsADecodingError() async throws {
        let error = await #expect(throws: RequestError.self) {
            let _: User = try await request.send(client: client(ScriptedTransport(.json(#"{"s3cret": 1}"#))))
        }
        guard case .decoding(let request, .keyNotFound(let key, _)) = error else {
            return #expect(Bool(false), "\(error as Any)")
        }
        #expect(request == self.request)
        #expect(key.stringValue == "name")
        let underlying = error?.underlyingError as? NetworkClientError
        #expect(underlying?.body == Data(#"{"s3cret": 1}"#.utf8))
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test func anErrorOfADecodersOwnIsADecodingErrorToo() async throws {
        let error = await #expect(throws: RequestError.self) {
            let _: User = try await request.send(
                decoder: JSONKeyPathDecoder("user"), client: client(ScriptedTransport(.json(#"{"s3cret": 1}"#))))
        }
        guard case .decoding(_, .dataCorrupted) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect((error?.underlyingError as? NetworkClientError)?.cause is JSONKeyPathError)
        #expect(error?.description.contains("cannot be decoded: the body could not be decoded as User: ") == true)
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test func aRefusalThatCannotBeDecodedIsNamedByItsStatus() async throws {
        let lenient = Request(.get, url: URL(string: "https://example.com/users")!)
        let error = await #expect(throws: RequestError.self) {
            let _: User = try await lenient.send(client: client(ScriptedTransport(.status(404))))
        }
        #expect(error?.description.contains(": the response with status 404 cannot be decoded: ") == true)
    }

    @Test func aBodyOfAnotherTypeIsNamedAsTheBody() async throws {
        let error = await #expect(throws: RequestError.self) {
            let _: [User] = try await request.send(client: client(ScriptedTransport(.json("{}"))))
        }
        #expect(error?.description.contains("cannot be decoded: expected an array, found an object (line 1") == true)
    }

    @Test(arguments: [
        (ScriptedReply.status(204), "", "expected JSON, found an empty body (line 1, column 1)"),
        (
            .status(200, fields: [.contentType: "text/html; charset=utf-8"], body: Data("<s3cret>".utf8)),
            " of type text/html", "expected JSON, found text that is not: expected a value (line 1, column 1)"
        ),
    ])
    func aBodyThatIsNotJSONIsDescribedAsWhatItIs(_ reply: ScriptedReply, _ type: String, _ reason: String) async throws
    {
        let error = await #expect(throws: RequestError.self) {
            let _: User = try await request.send(client: client(ScriptedTransport(reply)))
        }
        #expect(error?.description == "GET https://example.com/users: the response\(type) cannot be decoded: \(reason)")
    }

    @Test func anEncodingErrorIsThrownBySend() async throws {
        let transport = ScriptedTransport()
        let request = Request(.post, url: usersURL, client: client(transport)) { Body { Double.infinity } }
        let error = await #expect(throws: RequestError.self) { try await request.send() }
        guard case .other = error else { return #expect(Bool(false), "\(error as Any)") }
        let underlying = error?.underlyingError as? NetworkClientError
        #expect(underlying?.code == .encodingFailed)
        #expect(underlying?.cause is EncodingError)
        #expect(transport.requests.isEmpty)
    }

    @Test func foreignErrorsAreKept() async throws {
        let error = try await failure(.failure(ForeignError()))
        guard case .other(let request, let message) = error else { throw error }
        #expect(request == self.request)
        #expect(message.contains("ForeignError"))
        #expect(error.underlyingError as? ForeignError == ForeignError())
    }

    @Test func errorsOfMiddlewareThatJudgeTheStatusAreStatusErrors() async throws {
        struct Judge: NetworkMiddleware {
            func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
                let response = try await next(request)
                throw NetworkClientError(.unacceptableStatus, "no", response: response.head, body: Data("why".utf8))
            }
        }
        let error = await #expect(throws: RequestError.self) {
            try await Request(.get, url: usersURL).send(
                client: client(ScriptedTransport(.status(403)), middleware: [Judge()]))
        }
        guard case .httpStatus(_, let httpError) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(httpError.type == .forbidden)
        #expect(httpError.response.data == Data("why".utf8))
    }

    @Test func equalityLooksAtRequestAndKind() async throws {
        let other = Request(.post, url: usersURL)
        let lost = RequestError.urlError(request: request, error: URLError(.networkConnectionLost))
        #expect(lost == .urlError(request: request, error: URLError(.networkConnectionLost)))
        #expect(lost != .urlError(request: other, error: URLError(.networkConnectionLost)))
        #expect(lost != .urlError(request: request, error: URLError(.timedOut)))
        #expect(RequestError.other(request: request, message: "a") == .other(request: request, message: "a"))
        #expect(RequestError.other(request: request, message: "a") != .other(request: request, message: "b"))
        #expect(Set([lost, lost, .other(request: request, message: "a")]).count == 2)
        #expect(try await failure(.failure(.connectionLost)) == lost)
        #expect(try await failure(.status(404)) == failure(.text("other body", status: 404)))
        #expect(try await failure(.status(404)) != failure(.status(405)))
    }

    @Test func descriptionsTellTheStageAndNoSecrets() async throws {
        let secret = Request(.get, url: usersURL, configuration: .init(parseHTTPStatusErrors: true)) {
            QueryItems { ("token", "s3cret") }
            Headers { Header.authorization(.bearer("s3cret")) }
        }
        let errors = [
            try await failure(.failure(.cannotConnect), request: secret),
            try await failure(.text("s3cret", status: 500), request: secret),
            try await failure(.failure(ForeignError()), request: secret),
        ]
        for (error, part) in zip(errors, ["cannotConnect", "500", "ForeignError"]) {
            #expect(error.description.contains("GET https://example.com/users: "))
            #expect(error.description.contains(part))
            #expect(!error.description.contains("s3cret"))
            #expect(error.localizedDescription == error.description)
            var dumped = ""
            dump(error.request, to: &dumped)
            #expect(!dumped.contains("s3cret"))
        }
    }
}

/// A network that is not there.
private final class Offline: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() { client?.urlProtocol(self, didFailWithError: URLError(.notConnectedToInternet)) }
    override func stopLoading() {}
}
