// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import TestSupport
import Testing

extension NetworkClientTests {
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
}
