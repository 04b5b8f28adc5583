// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import StrataURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct URLRequestBridgingTests {
    private func send(
        _ request: TransportRequest, intercept: @escaping NetworkConfiguration.URLRequestInterceptor
    ) async throws -> RecordedRequest {
        let transport = ScriptedTransport(.status(200))
        var configuration = NetworkConfiguration(
            baseURL: nil, transport: transport, defaultEncoder: JSONEncoder(), defaultDecoder: JSONDecoder())
        configuration.intercept(intercept)
        _ = try await NetworkClient(configuration: configuration).execute(request)
        return try #require(transport.requests.first)
    }

    private func repeatedFields() throws -> HTTPFields {
        var fields: HTTPFields = [:]
        try fields.addValue("1", forName: "x-rePeated")
        try fields.addValue("2", forName: "x-rePeated")
        try fields.addValue("gone", forName: "X-Old")
        return fields
    }

    @Test func anInterceptorChangesWhatItChanges() async throws {
        let request = try TransportRequest(
            method: .post, url: "http://a.example/p?q=1", headerFields: repeatedFields(), body: .data(Data("old".utf8)))
        let sent = try await send(request) { request in
            var request = request
            request.url = URL(string: "http://b.example:8080/r")
            request.httpMethod = "PUT"
            request.setValue("new", forHTTPHeaderField: "X-New")
            request.setValue(nil, forHTTPHeaderField: "X-Old")
            request.httpBody = Data("new".utf8)
            request.timeoutInterval = 7
            return request
        }
        #expect(sent.url == "http://b.example:8080/r")
        #expect(sent.method == .put)
        #expect(sent.text == "new")
        #expect(sent["X-New"] == "new")
        #expect(sent["X-Old"] == nil)
        #expect(sent.options.timeouts.idle == .seconds(7))
    }

    @Test(arguments: ["https://b.example/r", "https://a.example/p"])
    func userInformationInTheURLOfAnInterceptorIsSentWhereThereIsNoAuthorization(address: String) async throws {
        let url = try #require(URL(string: address.replacing("//", with: "//u:p%40@")))
        let basic = "Basic \(Data("u:p@".utf8).base64EncodedString())"
        for (earlier, later, expected) in [
            (nil, nil, basic), ("Bearer a", "Bearer a", "Bearer a"), (nil, "Bearer b", "Bearer b"),
            ("Bearer a", nil, basic),
        ] as [(String?, String?, String)] {
            var fields: HTTPFields = [:]
            fields[.authorization] = earlier
            let request = try TransportRequest(url: "https://a.example/p", headerFields: fields)
            let sent = try await send(request) { request in
                var request = request
                request.url = url
                request.setValue(later, forHTTPHeaderField: "Authorization")
                return request
            }
            #expect(sent.url == address)
            #expect(sent["Authorization"] == expected)
        }
    }

    @Test(arguments: [.infinity, .greatestFiniteMagnitude, .nan, 0, -1])
    func aTimeoutThatIsNoneIsNoLimit(_ interval: TimeInterval) async throws {
        let sent = try await send(TransportRequest(url: "http://a.example/")) { request in
            var request = request
            request.timeoutInterval = interval
            return request
        }
        #expect(sent.options.timeouts.idle == nil)
    }

    @Test func anInterceptorLeavesTheRestAlone() async throws {
        let request = try TransportRequest(
            method: .post, url: "http://a.example/a%2Fb?q=%2B", headerFields: repeatedFields(),
            body: .stream(isReplayable: true) { PiecesSource([Data("streamed".utf8)]) })
        let sent = try await send(request) { request in
            var request = request
            request.setValue("yes", forHTTPHeaderField: "X-Seen")
            return request
        }
        #expect(sent.url == "http://a.example/a%2Fb?q=%2B")
        #expect(
            sent.head.headerFields.map { "\($0.name.rawName): \($0.value)" }.prefix(3) == [
                "x-rePeated: 1", "x-rePeated: 2", "X-Old: gone",
            ])
        #expect(sent["X-Seen"] == "yes")
        #expect(sent.text == "streamed")
        #expect(sent.options.timeouts == Timeouts())
    }

    @Test func aURLRequestBecomesATransportRequest() throws {
        var original = try URLRequest(url: #require(URL(string: "https://h.example/p?x=1")))
        original.httpMethod = "PATCH"
        original.setValue("v", forHTTPHeaderField: "X-F")
        original.httpBody = Data("body".utf8)
        let request = try TransportRequest(original)
        #expect(request.url == "https://h.example/p?x=1")
        #expect(request.head.method == .patch)
        #expect(request.head.headerFields[HTTPField.Name("X-F")!] == "v")
        #expect(request.body.data == Data("body".utf8))
        let back = try URLRequest(request)
        #expect(back.url == original.url && back.httpBody == original.httpBody && back.httpMethod == "PATCH")
    }

    @Test func aURLRequestToAFileIsRefused() {
        #expect(throws: NetworkClientError.self) { try TransportRequest(URLRequest(url: URL(filePath: "/etc/hosts"))) }
    }

    @Test func aResponseBecomesAURLResponse() throws {
        var fields: HTTPFields = [.contentType: "text/plain"]
        fields.append(HTTPField(name: .setCookie, value: "a=1"))
        fields.append(HTTPField(name: .setCookie, value: "b=2"))
        for name in ["X-A", "x-a"] { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: name)) }
        let response = NetworkResponse(
            value: 1, response: HTTPResponse(status: .created, headerFields: fields),
            request: try TransportRequest(url: "http://h.example/p").head)
        let urlResponse = try #require(response.urlResponse as? HTTPURLResponse)
        #expect(urlResponse.statusCode == 201)
        #expect(urlResponse.url?.absoluteString == "http://h.example/p")
        #expect(urlResponse.value(forHTTPHeaderField: "Set-Cookie") == "a=1, b=2")
        #expect(urlResponse.value(forHTTPHeaderField: "X-A") == "X-A, x-a")
    }

    @Test func aConfigurationOverASessionKnowsIt() throws {
        let session = URLSession(configuration: .ephemeral)
        let configuration = try NetworkConfiguration(
            session: session, defaultDecoder: JSONDecoder(), defaultEncoder: JSONEncoder(),
            baseURL: #require(URL(string: "https://hostname.com/api/v3")))
        #expect(configuration.session === session)
        #expect(configuration.transport is URLSessionTransport)
        #expect(configuration.baseURL?.absoluteString == "https://hostname.com/api/v3")
    }
}
