// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct NetworkClientTests {
    // MARK: The call

    @Test func aRequestOrResponseThatALayerMakesAnewBelongsToTheCall() async throws {
        let transport = ScriptedTransport(.redirect(to: "/b"), .status(200))
        let clock = VirtualClock()
        let anew = Around { request, next in
            let response = try await next(TransportRequest(head: request.head))
            return TransportResponse(head: response.head, body: response.body)
        }
        let inner = Around { request, next in
            #expect(request.call?.clock as? VirtualClock === clock)
            return try await next(request)
        }
        let redirects = RedirectMiddleware()
        let client = makeClient(transport, middleware: [anew, redirects, inner], clock: clock) {
            $0.interceptor = { TransportRequest(head: $0.head) }
        }
        let response = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(path: "/a", method: .get))
        #expect(response.exchange.attempts.count == 2)
        #expect(response.request?.path == "/b")
    }

    @Test func aRequestThatALayerHasKeptBelongsToTheCallThatSendsIt() async throws {
        let kept = Mutex<TransportRequest?>(nil)
        let keeping = Around { request, next in
            let first = kept.withLock { kept in
                kept = kept ?? request
                return kept ?? request
            }
            return try await next(first)
        }
        let clock = VirtualClock()
        let client = makeClient(ScriptedTransport(.status(200)), middleware: [keeping], clock: clock)
        var request = try TransportRequest(url: "https://a.example/")
        request.options.timeouts.deadline = .seconds(5)
        _ = try await client.execute(request)
        clock.advance(by: .seconds(60))
        #expect(try await client.execute(request).exchange.attempts.count == 1)
    }

    @Test func aClientIsHandedAroundAsOneReference() {
        #expect(MemoryLayout<NetworkClient>.size == MemoryLayout<AnyObject>.size)
    }

    @Test func aValueOfTheCallMayBeMadeFromAnother() {
        enum First: RequestAttributeKey { static let defaultValue = 0 }
        enum Second: RequestAttributeKey { static let defaultValue = 0 }
        let call = CallContext()
        let value = call.value(First.self) { call.value(Second.self) { 1 } + 1 }
        #expect((value, call[First.self], call[Second.self]) == (2, 2, 1))
    }

    @Test func aSemicolonInQuotesEndsNoParameter() async throws {
        let type = #"text/plain; title="a\";charset=utf-16"; charset=utf-8"#
        let transport = ScriptedTransport(.text("é", fields: [.contentType: type]))
        let client = makeClient(transport)
        #expect(try await client.run(NetworkRequest<VoidRequest, String>(method: .get)).value == "é")
    }

    // MARK: What goes out

    @Test func aDefaultContentTypeIsForBodiesWithoutOneOfTheirOwn() async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport) { $0.defaultFields = [.contentType: "application/x-own"] }
        _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        _ = try await client.run(NetworkRequest<Data, VoidResponse>(method: .post, body: Data([1])))
        _ = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(
                method: .post, formItems: [URLFormItem(name: "a", value: "b")]))
        _ = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get, additionalHeaders: ["Content-Type": "text/x"]))
        #expect(
            transport.requests.map { $0["content-type"] } == [
                nil, "application/x-own", "application/x-www-form-urlencoded", "text/x",
            ])
    }

    @Test func theBodyMayStandBeforeTheBaseURL() async throws {
        let transport = ScriptedTransport(.status(200))
        let other = URL(string: "https://other.example")
        _ = try await makeClient(transport).run(
            NetworkRequest<String, VoidResponse>(path: "/p", method: .post, body: "x", baseURL: other))
        #expect(transport.requests[0].url == "https://other.example/p")
        #expect(transport.requests[0].text == "x")
    }

    @Test func theModelOfNoBodyNeedNotBeNamed() async throws {
        let transport = ScriptedTransport(.json(#"{"id": 1, "title": "a"}"#))
        let client = makeClient(transport)
        let post: Post = try await client.run(NetworkRequest(path: "/posts/1", method: .get)).value
        #expect(post == Post(id: 1, title: "a"))
        let named: Post = try await client.run(
            .init(path: "/posts/1", method: .get, queryItems: [URLQueryItem(name: "a", value: "b")]) {
                $0.timeouts.deadline = .seconds(5)
            }
        ).value
        #expect(named == post)
        let posted: Post = try await client.run(NetworkRequest(path: "/posts", method: .post, body: post)).value
        #expect(posted == post)
        #expect(transport.requests.map(\.hasBody) == [false, false, true])
        #expect(transport.requests[1].target == "/api/v3/posts/1?a=b")
    }

    @Test func sendsMethodURLAndNothingElseForAPlainGet() async throws {
        let transport = ScriptedTransport(.json(#"[{"id": 1, "title": "a"}]"#))
        let response = try await makeClient(transport).run(
            NetworkRequest<VoidRequest, [Post]>(path: "/posts/bookmarks", method: .get))
        #expect(response.value == [Post(id: 1, title: "a")])
        let request = try #require(transport.requests.first)
        #expect(request.method == .get)
        #expect(request.url == "https://hostname.com/api/v3/posts/bookmarks")
        #expect(!request.hasBody)
        #expect(request["Content-Type"] == nil)
        #expect(request["Accept"] == "application/json")
        #expect(request["User-Agent"] == "Strata/\(StrataVersion.current)")
        #expect(request.head.headerFields.count == 2)
    }

    @Test func aUserAgentOfOnesOwnWinsWhereverItIsSet() async throws {
        struct Namer: NetworkMiddleware {
            func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
                var request = request
                if request.head.headerFields[.userAgent] == nil { request.head.headerFields[.userAgent] = "layer/1" }
                return try await next(request)
            }
        }
        func sent(
            fields: HTTPFields = [:], _ configure: (inout NetworkConfiguration) -> Void
        ) async throws -> String? {
            let transport = ScriptedTransport()
            _ = try await makeClient(transport, configure: configure).run(
                NetworkRequest<VoidRequest, VoidResponse>(path: "a", method: .get, headerFields: fields))
            return transport.requests[0]["User-Agent"]
        }
        #expect(try await sent(fields: [.userAgent: "own/1"]) { _ in } == "own/1")
        #expect(try await sent { $0.defaultFields = [.userAgent: "client/1"] } == "client/1")
        #expect(try await sent { $0.middleware = [Namer()] } == "layer/1")
        #expect(try await sent { $0.userAgent = "app/1" } == "app/1")
        #expect(try await sent { $0.userAgent = nil } == nil)
    }

    @Test func encodesTheBodyAndNamesItsType() async throws {
        let transport = ScriptedTransport(.status(201))
        _ = try await makeClient(transport).run(
            NetworkRequest<Post, VoidResponse>(path: "posts", method: .post, body: Post(id: 2, title: "ü")))
        let request = try #require(transport.requests.first)
        #expect(try JSONDecoder().decode(Post.self, from: request.body) == Post(id: 2, title: "ü"))
        #expect(request["content-type"] == "application/json")
    }

    @Test func keepsTheCallersContentTypeInAnyCase() async throws {
        let transport = ScriptedTransport(.status(200))
        _ = try await makeClient(transport).run(
            NetworkRequest<Post, VoidResponse>(
                method: .post, body: Post(id: 1, title: ""),
                additionalHeaders: ["CONTENT-TYPE": "application/vnd.x+json"]))
        #expect(transport.requests[0].head.headerFields[values: .contentType] == ["application/vnd.x+json"])
    }

    @Test(arguments: [
        ("multipart/form-data", "multipart/form-data; boundary=b"),
        ("Multipart/Form-Data; charset=utf-8; boundary=", "multipart/form-data; boundary=b"),
        ("multipart/form-data; boundary=\"\"; charset=utf-8", "multipart/form-data; boundary=b"),
        ("multipart/form-data; boundary=other", "multipart/form-data; boundary=b"),
        ("multipart/form-data; Boundary=\"b\"; charset=utf-8", "multipart/form-data; Boundary=\"b\"; charset=utf-8"),
        ("multipart/x-own", "multipart/x-own"),
    ])
    func aMultipartTypeWithoutTheBoundaryOfTheBodyGivesWayToItsOwn(own: String, sent: String) async throws {
        let transport = ScriptedTransport(.status(200))
        _ = try await makeClient(transport).run(
            NetworkRequest<MultipartForm, VoidResponse>(
                method: .post, body: MultipartForm([.text("x", name: "a")], boundary: "b"),
                additionalHeaders: ["Content-Type": own]))
        #expect(transport.requests[0].head.headerFields[values: .contentType] == [sent])
    }

    @Test func sendsFormItemsRatherThanTheBody() async throws {
        let transport = ScriptedTransport(.status(200))
        let items = [
            URLFormItem(name: "a b", value: "1+1&=é"), URLFormItem(name: "none", value: nil),
            URLFormItem(name: "e", value: ""),
        ]
        _ = try await makeClient(transport).run(
            NetworkRequest<Post, VoidResponse>(method: .post, formItems: items, body: Post(id: 1, title: "")))
        #expect(transport.requests[0].text == "a+b=1%2B1%26%3D%C3%A9&e=")
        #expect(transport.requests[0]["content-type"] == "application/x-www-form-urlencoded")
    }

    @Test func sendsDataAndTextAsTheyAre() async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport)
        _ = try await client.run(NetworkRequest<Data, VoidResponse>(method: .put, body: Data([1, 2, 255])))
        _ = try await client.run(NetworkRequest<String, VoidResponse>(method: .put, body: "grüß"))
        #expect(transport.requests[0].body == Data([1, 2, 255]))
        #expect(transport.requests[0]["content-type"] == nil)
        #expect(transport.requests[1].text == "grüß")
        #expect(transport.requests[1]["content-type"] == "text/plain; charset=utf-8")
    }

    @Test func noBodyHasNoTypeWhoeverNamesOne() async throws {
        let transport = ScriptedTransport(.status(200))
        _ = try await makeClient(transport).run(
            NetworkRequest<EncodedBody, VoidResponse>(
                method: .post, body: EncodedBody(.empty, contentType: "application/x-own")))
        #expect(!transport.requests[0].hasBody)
        #expect(transport.requests[0]["content-type"] == nil)
    }

    @Test func aModelThatIsNilIsNoBody() async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport)
        let (data, post): (Data?, Post?) = (nil, nil)
        _ = try await client.run(NetworkRequest<Data?, VoidResponse>(method: .put, body: data))
        _ = try await client.run(NetworkRequest<Post?, VoidResponse>(method: .put, body: post))
        #expect(transport.requests.map(\.hasBody) == [false, false])
        #expect(transport.requests.allSatisfy { $0["content-type"] == nil })
    }

    @Test func cookiesGivenAsTextAreOneField() async throws {
        let transport = ScriptedTransport(.status(200))
        _ = try await makeClient(transport).run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get, additionalHeaders: ["Cookie": "a=1; b=2"]))
        #expect(transport.requests[0].head.headerFields[values: .cookie] == ["a=1; b=2"])
    }

    @Test func fillsInDefaultFieldsWithoutReplacing() async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport) {
            $0.defaultFields = [.userAgent: "strata", .accept: "text/html", .via: "a", .via: "b"]
        }
        _ = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get, additionalHeaders: ["User-Agent": "mine"]))
        #expect(transport.requests[0]["user-agent"] == "mine")
        #expect(transport.requests[0]["accept"] == "text/html")
        #expect(transport.requests[0].head.headerFields[values: .via] == ["a", "b"])
    }

    @Test(arguments: ["https://other.example/x", "http://hostname.com/x", "https://hostname.com:8443/x"])
    func givesSecretDefaultsToItsOwnServerAlone(elsewhere: String) async throws {
        let transport = ScriptedTransport(.status(200))
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        let client = makeClient(transport) {
            $0.defaultFields = [.authorization: "Bearer t", tenant: "t", .userAgent: "strata"]
            $0.options.sensitiveFields = [tenant]
        }
        for path in ["x", "https://HOSTNAME.com:443/x", elsewhere] {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(path: path, method: .get))
        }
        _ = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get, baseURL: URL(string: elsewhere)))
        for path in ["x", elsewhere] {
            _ = try await client.run(
                NetworkRequest<VoidRequest, VoidResponse>(path: path, method: .get) {
                    $0.sensitiveFields = [.userAgent]
                })
        }
        let tokens = ["Bearer t", "Bearer t", nil, nil, "Bearer t", nil]
        #expect(transport.requests.map { $0["authorization"] } == tokens)
        #expect(transport.requests.map { $0["x-tenant"] } == ["t", "t", nil, nil, "t", nil])
        let agents = ["strata", "strata", "strata", "strata", "strata", nil]
        #expect(transport.requests.map { $0["user-agent"] } == agents)
    }

    @Test func whatTheClientMarksStaysASecretWhenTheRequestMarksMore() async throws {
        let transport = ScriptedTransport(.redirect(to: "https://b.example/2"), .status(200))
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        let client = makeClient(transport) {
            $0.defaultFields = [tenant: "t"]
            $0.options.sensitiveFields = [tenant]
            $0.options.sensitiveQueryItems = ["tenant"]
        }
        _ = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(
                path: "x", method: .get, queryItems: [URLQueryItem(name: "tenant", value: "t")]
            ) {
                $0.sensitiveFields = [.userAgent]
                $0.sensitiveQueryItems = ["other"]
            })
        #expect(transport.requests.map { $0["x-tenant"] } == ["t", nil])
        let marks = transport.requests.map(\.options).map { ($0.sensitiveFields, $0.sensitiveQueryItems) }
        #expect(marks.allSatisfy { $0 == ([tenant, .userAgent], ["tenant", "other"]) })
    }

    @Test func givesNoSecretDefaultsToARequestThatMustHaveNoCredentials() async throws {
        let transport = ScriptedTransport(.status(200))
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        let client = makeClient(transport) {
            $0.defaultFields = [.authorization: "Bearer t", tenant: "t", .userAgent: "strata"]
            $0.options.sensitiveFields = [tenant]
        }
        _ = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(path: "login", method: .post) {
                $0.isAuthenticationExempt = true
            })
        #expect(transport.requests[0].head.headerFields.map(\.name) == [.userAgent])
    }

    /// RFC 9110 §9.3.8: the answer is the request.
    @Test func addsNoSecretsToATrace() async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport, baseURL: "https://ada:s3cret@hostname.com/") {
            $0.defaultFields = [.authorization: "Bearer t", .userAgent: "strata"]
        }
        _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .trace))
        #expect(transport.requests[0].head.headerFields.map(\.name) == [.userAgent])
    }

    @Test func givesNoCredentialsOfTheBaseURLToARequestThatMustHaveNone() async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport, baseURL: "https://ada:s3cret@hostname.com/")
        for path in ["login", "https://ada:s3cret@hostname.com/login", "https://eve:pw@hostname.com/login"] {
            _ = try await client.run(
                NetworkRequest<VoidRequest, VoidResponse>(path: path, method: .post) {
                    $0.isAuthenticationExempt = true
                })
        }
        _ = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(
                path: "login", method: .post, baseURL: URL(string: "https://eve:pw@hostname.com/")
            ) {
                $0.isAuthenticationExempt = true
            })
        let own = "Basic " + Data("eve:pw".utf8).base64EncodedString()
        #expect(transport.requests.map { $0["authorization"] } == [nil, nil, own, own])
    }

    @Test(arguments: ["hostname.com/v1", "/v1", "ftp://hostname.com/"])
    func nobodyIsAtHomeAtAMalformedBaseURL(base: String) async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport, baseURL: base) {
            $0.defaultFields = [.authorization: "Bearer t", .userAgent: "strata"]
        }
        let isAtHome = Mutex<Bool?>(nil)
        let layer = Around { request, next in
            isAtHome.withLock { $0 = request.isAtHome }
            return try await next(request)
        }
        _ = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(
                method: .get, baseURL: URL(string: "https://other.example"), middleware: [layer]))
        #expect(transport.requests[0].head.headerFields.map(\.name) == [.userAgent])
        #expect(isAtHome.withLock { $0 } == false)
    }

    @Test func givesHostAndOriginToItsOwnServerAlone() async throws {
        let transport = ScriptedTransport(.status(200))
        let host = try #require(HTTPField.Name("Host"))
        let client = makeClient(transport) {
            $0.defaultFields = [host: "internal.example", .origin: "https://app.example"]
        }
        for path in ["x", "https://other.example/x"] {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(path: path, method: .get))
        }
        #expect(transport.requests.map { $0["host"] } == ["internal.example", nil])
        #expect(transport.requests.map { $0["origin"] } == ["https://app.example", nil])
    }

    @Test func anExecutedRequestHasItsOwnOptionsAndFieldsAlone() async throws {
        let transport = ScriptedTransport(.redirect(to: "/b"), .status(200))
        let client = makeClient(transport) {
            $0.options.timeouts.attempt = .seconds(1)
            $0.options.redirects = .manual
            $0.defaultFields = [.userAgent: "strata"]
        }
        let response = try await client.execute(TransportRequest(url: "https://h/a"))
        #expect(response.head.status == .ok)
        #expect(transport.requests.allSatisfy { $0.options.timeouts == Timeouts() && $0["user-agent"] == nil })
    }

    @Test func turnsUserInformationIntoBasicCredentials() async throws {
        let transport = ScriptedTransport(.status(200))
        _ = try await makeClient(transport, baseURL: "http://us%40er:p%3Ass@h/").run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        #expect(transport.requests[0].url == "http://h/")
        #expect(transport.requests[0]["authorization"] == "Basic " + Data("us@er:p:ss".utf8).base64EncodedString())
        _ = try await makeClient(transport, baseURL: "http://key@h/").run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        #expect(transport.requests[1]["authorization"] == "Basic " + Data("key:".utf8).base64EncodedString())
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b", "a\u{1}b", "\u{1b}[2J", "a\u{7f}"])
    func refusesControlCharactersInFieldValues(value: String) async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport)
        await #expect {
            _ = try await client.run(
                NetworkRequest<VoidRequest, VoidResponse>(method: .get, additionalHeaders: ["X-Value": value]))
        } throws: { error in
            isFailure(error, .invalidRequest) && !"\(error)".contains("Evil")
        }
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [0x01, 0x08, 0x1b, 0x7f] as [UInt8])
    func refusesControlCharactersHoweverTheyCameThere(byte: UInt8) async throws {
        let transport = ScriptedTransport(.status(200))
        let name = try #require(HTTPField.Name("X-Value"))
        func send(_ value: [UInt8]) async throws {
            var request = try TransportRequest(url: "https://h/")
            request.head.headerFields.append(HTTPField(name: name, lenientValue: value))
            _ = try await makeClient(transport).execute(request)
        }
        await #expect {
            try await send([0x61, byte, 0x62])
        } throws: {
            isFailure($0, .invalidRequest)
        }
        #expect(transport.requests.isEmpty)
        try await send([0x61, 0x09, 0xe9])
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: ["text/plain\r\nX-Evil: 1", "text/plain\0", "text/plain\nx"])
    func refusesControlCharactersInMediaTypes(type: String) async throws {
        struct Accepting: ResponseBodyDecoder {
            let acceptedContentTypes: [String]
            func decode<Model: Decodable>(
                _ type: Model.Type, from data: Data, response: HTTPResponse
            ) throws -> Model { try JSONDecoder().decode(type, from: data) }
        }
        let transport = ScriptedTransport(.json("[]"))
        let client = makeClient(transport)
        let body = EncodedBody(.data(Data("x".utf8)), contentType: type)
        await #expect {
            _ = try await client.run(NetworkRequest<EncodedBody, VoidResponse>(method: .post, body: body))
        } throws: {
            isFailure($0, .invalidRequest)
        }
        await #expect {
            _ = try await client.run(
                NetworkRequest<VoidRequest, [Post]>(method: .get, decoder: Accepting(acceptedContentTypes: [type])))
        } throws: {
            isFailure($0, .invalidRequest)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func refusesALengthThatIsNegative() async {
        let transport = ScriptedTransport(.status(200))
        let body = RequestBody.stream(length: -1, isReplayable: true) { PiecesSource([]) }
        await #expect {
            _ = try await makeClient(transport).run(
                NetworkRequest<RequestBody, VoidResponse>(method: .post, body: body))
        } throws: {
            isFailure($0, .uploadFailed)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func aTabMayStandInAFieldValue() async throws {
        let transport = ScriptedTransport(.status(200))
        _ = try await makeClient(transport).run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get, additionalHeaders: ["X-Value": "a\tb"]))
        #expect(transport.requests[0]["x-value"] == "a\tb")
    }

    @Test(arguments: ["", "a b", "a:b", "ü", "a\r\n"])
    func refusesFieldNamesThatAreNoTokens(name: String) async {
        let client = makeClient(ScriptedTransport(.status(200)))
        await #expect {
            _ = try await client.run(
                NetworkRequest<VoidRequest, VoidResponse>(method: .get, additionalHeaders: [name: "x"]))
        } throws: {
            isFailure($0, .invalidRequest)
        }
    }

    /// Some would not only be malformed: put together, `https://h` and `@other/` lead to another host.
    @Test(arguments: [
        ("h", "/a b"), ("h", "/a\r\nb"), ("h", ""), ("h", "/ü"), ("h", "/a#b"), ("h", "a"), ("h", "@other/"),
        ("h", ".other/"), ("h", ":81/"), ("other@h", "/"), ("other/h", "/"), ("other?h", "/"), ("other#h", "/"),
        ("other\\h", "/"), ("", "/"), ("me:s3cret@h", "/"), ("me:s3cret", "@h/"), ("h:65536", "/"), ("h:99999", "/"),
        ("h:8a", "/"), ("h:80:80", "/"), (":80", "/"), ("[::1", "/"), ("[::g]", "/"), ("[::1]80", "/"),
    ])
    func refusesTargetsThatMayNotGoOnTheWire(authority: String, path: String) async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport)
        let head = HTTPRequest(method: .get, scheme: "https", authority: authority, path: path)
        await #expect {
            _ = try await client.execute(TransportRequest(head: head))
        } throws: {
            isFailure($0, .malformedURL) && ($0 as? NetworkClientError)?.exchange?.attempts.count == 1
                && !"\($0)".contains("s3cret")
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func failsClearlyWithoutABaseURL() async {
        let client = makeClient(ScriptedTransport(.status(200))) { $0.baseURL = nil }
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(path: "x", method: .get))
        } throws: {
            isFailure($0, .malformedURL)
        }
    }

    @Test func saysThatTheBodyCouldNotBeEncoded() async {
        struct Unencodable: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(0, .init(codingPath: [], debugDescription: ""))
            }
        }
        let client = makeClient(ScriptedTransport(.status(200)))
        await #expect {
            _ = try await client.run(NetworkRequest<Unencodable, VoidResponse>(method: .post, body: Unencodable()))
        } throws: {
            isFailure($0, .encodingFailed) && ($0 as? NetworkClientError)?.cause is EncodingError
        }
    }

    // MARK: What comes back

    @Test func readsBytesAndTextWithoutADecoder() async throws {
        let transport = ScriptedTransport(
            .status(200, fields: [.contentType: "text/plain; charset=ISO-8859-1"], body: Data([0xe9])))
        let client = makeClient(transport)
        #expect(try await client.run(NetworkRequest<VoidRequest, Data>(method: .get)).value == Data([0xe9]))
        #expect(try await client.run(NetworkRequest<VoidRequest, String>(method: .get)).value == "é")
        #expect(transport.requests[0]["accept"] == nil)
    }

    @Test func refusesTextThatIsNotInItsCharset() async {
        let client = makeClient(ScriptedTransport(.status(200, body: Data([0xff, 0xfe, 0xfd]))))
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, String>(method: .get))
        } throws: {
            isFailure($0, .decodingFailed)
        }
    }

    @Test(arguments: [ScriptedReply.status(204), .status(200), .json("null")])
    func readsNothingAsNil(reply: ScriptedReply) async throws {
        let response = try await makeClient(ScriptedTransport(reply)).run(
            NetworkRequest<VoidRequest, Post?>(method: .get))
        #expect(response.value == nil)
    }

    @Test(arguments: [
        (ScriptedReply.status(204), true), (.status(200), true), (.pieces([Data("x".utf8)], status: 205), true),
        (.text("x"), false), (.pieces([Data("x".utf8)]), false),
    ])
    func ignoresNothingAsNil(reply: ScriptedReply, isNil: Bool) async throws {
        let transport = ScriptedTransport(reply)
        let response = try await makeClient(transport).run(
            NetworkRequest<VoidRequest, VoidResponse?>(method: .get))
        #expect((response.value == nil) == isNil)
        #expect(transport.requests[0]["accept"] == nil)
    }

    @Test func attachesHeadBodyAndRecordToAnUnacceptableStatus() async throws {
        struct Problem: Decodable { var title: String }
        let client = makeClient(ScriptedTransport(.json(#"{"title": "gone"}"#, status: 410)))
        do {
            _ = try await client.run(
                NetworkRequest<VoidRequest, [Post]>(
                    path: "x", method: .get, queryItems: [.init(name: "token", value: "s3cret")]))
            Issue.record("a 410 passed")
        } catch let error as NetworkClientError {
            #expect(error.code == .unacceptableStatus)
            #expect(error.response?.status == .gone)
            #expect(try error.decode(Problem.self).title == "gone")
            #expect(error.exchange?.attempts.map(\.status) == [.gone])
            #expect(!"\(error)".contains("s3cret"))
            #expect("\(error)".contains("410"))
        }
    }

    @Test func readsTheBodyOfAnErrorAsItWouldReadAnAnswer() async throws {
        let client = makeClient(ScriptedTransport(.text("na\u{ef}ve", status: 400), .status(500)))
        let request = NetworkRequest<VoidRequest, Post>(method: .get)
        let refusal = await #expect(throws: NetworkClientError.self) { try await client.run(request) }
        #expect(try refusal?.decode(String.self) == "na\u{ef}ve")
        #expect(try refusal?.decode() == Data("na\u{ef}ve".utf8))
        let failure = await #expect(throws: NetworkClientError.self) { try await client.run(request) }
        #expect(try failure?.decode(Post?.self) == .some(nil))
    }

    @Test func readsTheBodyOfAnErrorThatAMiddlewareThrew() async throws {
        let strict = Around { request, next in
            let response = try await next(request)
            throw NetworkClientError(
                .unacceptableStatus, "not that", response: response.head, body: try await response.body.collect())
        }
        let client = makeClient(ScriptedTransport(.json(#"{"id": 1, "title": "gone"}"#)), middleware: [strict])
        let request = NetworkRequest<VoidRequest, VoidResponse>(method: .get)
        let run = await #expect(throws: NetworkClientError.self) { try await client.run(request) }
        #expect(try run?.decode(Post.self) == Post(id: 1, title: "gone"))
        let opened = await #expect(throws: NetworkClientError.self) { try await client.open(request) }
        #expect(try opened?.decode(Post.self) == Post(id: 1, title: "gone"))
    }

    @Test func cancellingWhileTheBodyOfAnErrorArrivesIsACancellation() async throws {
        let (reads, continuation) = AsyncStream.makeStream(of: Void.self)
        let client = makeClient(ScriptedTransport(.source(status: 500) { HangingSource { continuation.yield() } }))
        let call = Task { try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get)).value }
        for await _ in reads { break }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func boundsTheBodyOfAnError() async throws {
        let pieces = [Data](repeating: Data(count: 40_000), count: 4)
        let client = makeClient(ScriptedTransport(.pieces(pieces, status: 500)))
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        } throws: {
            ($0 as? NetworkClientError)?.body?.count == 65_536
        }
    }

    @Test func waitsTenSecondsForTheBodyOfAnErrorThatTrickles() async throws {
        /// A comment of an event stream every 0.8 seconds, for ever.
        final class Trickle: BodySource {
            let clock: VirtualClock
            init(_ clock: VirtualClock) { self.clock = clock }
            func next() -> Data? {
                clock.advance(by: .milliseconds(800))
                return Data(":\n".utf8)
            }
            func cancel() {}
        }
        let clock = VirtualClock()
        let client = makeClient(ScriptedTransport(.source(status: 401) { Trickle(clock) }), clock: clock)
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        } throws: {
            isFailure($0, .unacceptableStatus)
                && (12...13).contains((($0 as? NetworkClientError)?.body?.count ?? 0) / 2)
        }
    }

    @Test func letsARequestChooseItsStatuses() async throws {
        let client = makeClient(ScriptedTransport(.status(404)))
        let request = NetworkRequest<VoidRequest, VoidResponse>(method: .get) { $0.acceptableStatus = .codes(404) }
        let response = try await client.run(request)
        #expect(response.status == .notFound)
        #expect(response.headerFields == response.response.headerFields)
    }

    @Test func explainsWhatCouldNotBeDecoded() async throws {
        let transport = ScriptedTransport(.json(#"{"id": "x"}"#))
        let log = Log()
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkClientError.self)
        let client = makeClient(transport) { $0.onDecodingFailure = { continuation.yield($0) } }
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, Post>(method: .get))
        } throws: {
            isFailure($0, .decodingFailed) && ($0 as? NetworkClientError)?.body == Data(#"{"id": "x"}"#.utf8)
        }
        continuation.finish()
        for await failure in stream { await log.add(failure.code.description) }
        #expect(await log.lines == ["decodingFailed"])
    }

    @Test func neverTakesATruncatedBodyForAShortOne() async {
        let reply = ScriptedReply.pieces(
            [Data(#"{"id": 1, "#.utf8)], failure: NetworkClientError(.connectionLost, "closed early"))
        let client = makeClient(ScriptedTransport(reply))
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        } throws: { error in
            guard let error = error as? NetworkClientError else { return false }
            return error.code == .connectionLost && error.response?.status == .ok
                && error.exchange?.attempts.first?.error == .connectionLost
        }
    }

    @Test func endsABodyOverTheLimit() async {
        let pieces = [Data](repeating: Data(count: 600), count: 3)
        for length in [nil, 1800] as [Int64?] {
            let client = makeClient(ScriptedTransport(.pieces(pieces, length: length)))
            let request = NetworkRequest<VoidRequest, Data>(method: .get) { $0.maximumResponseBytes = 1000 }
            await #expect {
                _ = try await client.run(request)
            } throws: {
                isFailure($0, .bodyTooLarge)
                    && ($0 as? NetworkClientError)?.exchange?.attempts.map(\.error) == [.bodyTooLarge]
            }
        }
    }

    @Test func aBodyOverTheLimitGivesWhatIsWithinAndThenFails() async throws {
        let pieces = [Data](repeating: Data(count: 600), count: 3)
        var request = try TransportRequest(url: "https://h/")
        request.options.maximumResponseBytes = 1000
        let response = try await makeClient(ScriptedTransport(.pieces(pieces))).execute(request)
        var iterator = response.body.makeAsyncIterator()
        var sizes: [Int?] = []
        for _ in 0..<2 { sizes.append(try await iterator.next()?.count) }
        #expect(sizes == [600, 400])
        for _ in 0..<2 {
            let error = await #expect(throws: NetworkClientError.self) { try await iterator.next() }
            #expect(error?.code == .bodyTooLarge)
        }
        #expect(response.exchange.attempts.map(\.error) == [.bodyTooLarge])
        #expect(response.exchange.attempts.map(\.bytesReceived) == [1000])
    }

    @Test func keepsOfTheBodyOfAnErrorWhatIsWithinTheLimit() async throws {
        for reply in [
            ScriptedReply.status(500, body: Data(count: 6000)),
            .pieces([Data(count: 4000), Data(count: 2000)], status: 500),
        ] {
            let client = makeClient(ScriptedTransport(reply)) { $0.options.maximumResponseBytes = 4096 }
            let error = await #expect(throws: NetworkClientError.self) {
                try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
            }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.body?.count == 4096)
            #expect(error?.exchange?.attempts.map(\.error) == [nil])
        }
    }

    @Test func tellsOfABodyThatIsTooLargeForItsReader() async throws {
        let client = makeClient(ScriptedTransport(.pieces([Data("ab".utf8), Data("c".utf8)])))
        for wraps in [false, true] {
            let response = try await client.open(NetworkRequest<VoidRequest, Data>(method: .get))
            let body = wraps ? response.body.mapSource { $0 } : response.body
            let error = await #expect(throws: NetworkClientError.self) { try await body.collect(upTo: 2) }
            #expect(error?.response?.status == .ok)
            #expect(error?.exchange?.attempts.map(\.error) == [.bodyTooLarge])
            #expect(response.exchange.attempts.map(\.error) == [.bodyTooLarge])
        }
    }

    @Test(arguments: [nil, 1 << 40] as [Int64?])
    func aBodyThatNobodyWantsHasALimitToo(length: Int64?) async {
        let mebibyte = Data(count: 1 << 20)
        let client = makeClient(ScriptedTransport(.pieces([Data](repeating: mebibyte, count: 65), length: length)))
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        } throws: {
            isFailure($0, .bodyTooLarge) && ($0 as? NetworkClientError)?.response?.status == .ok
                && ($0 as? NetworkClientError)?.exchange?.attempts.map(\.error) == [.bodyTooLarge]
        }
    }

    @Test func leavesTheBodyOfAnOpenedCallToTheReader() async throws {
        let client = makeClient(ScriptedTransport(.pieces([Data("a".utf8), Data("b".utf8)]))) {
            $0.options.timeouts.attempt = .seconds(1)
            $0.options.timeouts.deadline = .seconds(1)
        }
        let response = try await client.open(NetworkRequest<VoidRequest, Data>(method: .get))
        var pieces: [Data] = []
        for try await piece in response.body { pieces.append(piece) }
        #expect(pieces == [Data("a".utf8), Data("b".utf8)])
        #expect(response.exchange.attempts[0].bytesReceived == 2)
    }

    @Test func countsWhatWasReadOfABodyThatWasLeft() async throws {
        let client = makeClient(ScriptedTransport(.pieces([Data("ab".utf8), Data("c".utf8)])))
        let response = try await client.open(NetworkRequest<VoidRequest, Data>(method: .get))
        #expect(response.exchange.attempts[0].bytesReceived == 0)
        for try await _ in response.body { break }
        #expect(response.exchange.attempts[0].bytesReceived == 2)
        #expect(response.exchange.attempts[0].error == nil && !response.exchange.attempts[0].isCancelled)
    }

    @Test func givesAnOpenedCallNoLimitsButThoseOfItsOwn() async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport) { $0.options.timeouts.attempt = .seconds(1) }
        _ = try await client.open(NetworkRequest<VoidRequest, Data>(method: .get))
        _ = try await client.open(NetworkRequest<VoidRequest, Data>(method: .get) { $0.timeouts.attempt = .seconds(9) })
        #expect(transport.requests[0].options.timeouts.attempt == nil)
        #expect(transport.requests[0].options.timeouts.idle == .seconds(60))
        #expect(transport.requests[1].options.timeouts.attempt == .seconds(9))
    }

    // MARK: Time and cancellation

    @Test func startsNothingAfterTheDeadline() async {
        let clock = VirtualClock()
        let transport = ScriptedTransport(.status(200))
        let wait = Around { request, next in
            try await request.call?.clock.sleep(for: .seconds(5))
            return try await next(request)
        }
        let client = makeClient(transport, middleware: [wait], clock: clock) {
            $0.options.timeouts.deadline = .seconds(3)
        }
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        } throws: {
            isFailure($0, .timedOut) && ($0 as? NetworkClientError)?.timeout == .deadline
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func aCancelledCallIsNoTimeout() async {
        let clock = VirtualClock()
        let late = Around { request, next in
            clock.advance(by: .seconds(5))
            withUnsafeCurrentTask { $0?.cancel() }
            return try await next(request)
        }
        let client = makeClient(ScriptedTransport(.status(200)), middleware: [late], clock: clock) {
            $0.options.timeouts.deadline = .seconds(3)
        }
        let call = Task { try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get)).value }
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func namesTheDeadlineAndNotWhatWasLeftOfIt() async {
        let clock = VirtualClock()
        let late = Around { request, next in
            clock.advance(by: .seconds(8))
            return try await next(request)
        }
        let client = makeClient(ScriptedTransport(.silence), middleware: [late], clock: clock) {
            $0.options.timeouts.deadline = .seconds(10)
        }
        let error = await #expect(throws: NetworkClientError.self) {
            try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        }
        #expect(error?.timeout == .deadline)
        #expect(error?.message == "the deadline timeout of 10 s passed")
    }

    @Test func handsDownTheLimitOfAnAttempt() throws {
        var request = try TransportRequest(url: "http://h/")
        #expect(request.timeLimit == nil)
        request.options.timeouts.attempt = .seconds(4)
        #expect(request.timeLimit?.kind == .attempt)
        #expect(request.timeLimit?.duration == .seconds(4))
    }

    @Test func endsACancelledCallWithCancellationError() async {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.isEmpty)
    }

    // MARK: The stack

    @Test func runsMiddlewareInOrderAndTheInterceptorLast() async throws {
        let log = Log()
        func layer(_ name: String) -> Around {
            Around { request, next in
                await log.add("\(name) down")
                let response = try await next(request)
                await log.add("\(name) up \(response.head.status.code)")
                return response
            }
        }
        let client = makeClient(ScriptedTransport(.status(404)), middleware: [layer("a"), layer("b")]) {
            $0.interceptor = { request in
                await log.add("interceptor")
                return request
            }
        }
        _ = try? await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        #expect(await log.lines == ["a down", "b down", "interceptor", "b up 404", "a up 404"])
    }

    @Test func replacesTheListForARequestThatBringsItsOwn() async throws {
        let log = Log()
        let loud = Around { request, next in
            await log.add("client")
            return try await next(request)
        }
        let client = makeClient(ScriptedTransport(.status(200)), middleware: [loud])
        _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get, middleware: []))
        #expect(await log.lines.isEmpty)
    }

    @Test func theListOfARequestDoesNotFollowItIntoAnotherClient() async throws {
        let backup = ScriptedTransport(.status(200))
        let log = Log()
        let own = Around { _, _ in
            await log.add("client")
            return TransportResponse(head: HTTPResponse(status: .accepted))
        }
        let other = makeClient(backup, middleware: [own])
        let failover = Around { request, _ in
            await log.add("request")
            return try await other.execute(request)
        }
        let client = makeClient(ScriptedTransport(.failure(.cannotConnect)))
        let response = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get, middleware: [failover]))
        #expect(response.response.status == .accepted)
        #expect(await log.lines == ["request", "client"])
    }

    @Test func letsErrorsOfMiddlewarePassUnchanged() async {
        struct Mine: Error {}
        let client = makeClient(ScriptedTransport(.status(200)), middleware: [Around { _, _ in throw Mine() }])
        await #expect(throws: Mine.self) {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        }
    }

    @Test func refusesWhatTheTransportCannotDoBeforeSending() async {
        let transport = ScriptedTransport([.status(200)], features: [])
        let client = makeClient(transport)
        await #expect {
            _ = try await client.run(NetworkRequest<String, VoidResponse>(method: .get, body: "x"))
        } throws: {
            isFailure($0, .unsupportedByTransport) && "\($0)".contains("CurlTransport")
        }
        await #expect {
            _ = try await client.run(
                NetworkRequest<VoidRequest, VoidResponse>(method: .get) { $0.httpVersion = .http2PriorKnowledge })
        } throws: {
            isFailure($0, .unsupportedByTransport)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func recordsEveryAttemptWithItsReason() async throws {
        let clock = VirtualClock()
        let again = Around { request, next in
            let first = try await next(request)
            await first.body.discard()
            try await request.call?.clock.sleep(for: .seconds(2))
            request.call?.nextAttempt(.retry(cause: "503", waited: .seconds(2)))
            return try await next(request)
        }
        let client = makeClient(ScriptedTransport(.status(503), .json("[]")), middleware: [again], clock: clock)
        let exchange = try await client.run(NetworkRequest<VoidRequest, [Post]>(path: "p?q=secret", method: .get))
            .exchange
        #expect(exchange.attempts.map(\.reason) == [.first, .retry(cause: "503", waited: .seconds(2))])
        #expect(exchange.attempts.map(\.status?.code) == [503, 200])
        #expect(exchange.attempts[1].started == .seconds(2))
        #expect(exchange.attempts[1].bytesReceived == 2)
        #expect(exchange.total == .seconds(2))
        #expect(!exchange.description.contains("secret"))
        #expect(exchange.description.contains("#2 retry(503, waited 2 s)"))
    }

    // MARK: Redirects that are not followed

    private static let manual: RequestOptions.Override = { $0.redirects = .manual }

    @Test(arguments: [301, 302, 303, 307, 308]) func aRedirectThatIsNotFollowedIsTheResponse(status: Int) async throws {
        let transport = ScriptedTransport(.redirect(status, to: "/b"))
        let client = makeClient(transport)
        let response = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get, options: Self.manual))
        #expect(response.status.code == status && response.headerFields[.location] == "/b")
        let text = try await client.run(NetworkRequest<VoidRequest, String?>(method: .get, options: Self.manual))
        #expect(text.value == nil)
        let opened = try await client.open(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get, options: Self.manual))
        #expect(opened.head.status.code == status)
        #expect(transport.requests.count == 3)
    }

    @Test func otherStatusesAreRefusedAllTheSame() async {
        for status in [300, 304, 305, 404] {
            let client = makeClient(ScriptedTransport(.redirect(status, to: "/b")))
            await #expect(throws: NetworkClientError.self) {
                try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get, options: Self.manual))
            }
        }
        // Where the statuses are named, no others count.
        let client = makeClient(ScriptedTransport(.redirect(to: "/b")))
        await #expect(throws: NetworkClientError.self) {
            try await client.run(
                NetworkRequest<VoidRequest, VoidResponse>(method: .get) {
                    $0.redirects = .manual
                    $0.acceptableStatus = .codes(200)
                })
        }
    }
}
