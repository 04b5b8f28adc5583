// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

@testable import StrataCore

/// What is printed and dumped holds no secrets.
struct DescriptionTests {
    private static let url = "https://me:\(Leaks.mark)@h/a?token=\(Leaks.mark)"
    private static let fields: HTTPFields = [.authorization: "Bearer \(Leaks.mark)"]
    private static let body = Data(Leaks.mark.utf8)

    private func check(_ value: some Any, _ text: String, _ location: SourceLocation = #_sourceLocation) {
        #expect("\(value)" == text, sourceLocation: location)
        var dumped = ""
        dump(value, to: &dumped)
        Leaks.check("\(value) \(String(reflecting: value)) \(dumped)", "\(type(of: value))", location)
    }

    @Test(arguments: [
        (url, nil, "POST https://h/a"), (url, "b?key=\(Leaks.mark)", "POST https://h/a/b"),
        (nil, url, "POST https://h/a"),
        (nil, "/b?key=\(Leaks.mark)", "POST /b"), (nil, nil, "POST"),
    ])
    func aRequestShowsMethodAndURL(baseURL: String?, path: String?, text: String) {
        let request = NetworkRequest<Data, VoidResponse>(
            path: path, method: .post, queryItems: [URLQueryItem(name: "key", value: Leaks.mark)],
            formItems: [URLFormItem(name: "password", value: Leaks.mark)], baseURL: baseURL.flatMap(URL.init),
            body: Self.body, additionalHeaders: ["Authorization": Leaks.mark], headerFields: Self.fields)
        check(request, text)
    }

    @Test func aRequestOnItsWayShowsMethodURLAndSize() throws {
        var request = try TransportRequest(
            method: .post, url: Self.url, headerFields: Self.fields, body: .data(Self.body))
        check(request, "POST https://h/a (6 bytes)")
        request.body = .stream(isReplayable: true) { PiecesSource([]) }
        check(request, "POST https://h/a (a stream)")
        request.body = .empty
        check(request, "POST https://h/a")
    }

    @Test func aConfigurationShowsItsBaseURL() {
        var configuration = NetworkConfiguration(
            baseURL: URL(string: Self.url), transport: ScriptedTransport(), defaultFields: Self.fields)
        check(configuration, "https://h/a")
        configuration.baseURL = nil
        check(configuration, "no base URL")
    }

    @Test func aResponseShowsStatusAndURL() async throws {
        let transport = ScriptedTransport(.status(201, fields: [.setCookie: Leaks.mark], body: Self.body))
        let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: transport))
        let request = try TransportRequest(url: Self.url)
        let response = try await client.execute(request)
        check(response, "GET https://h/a -> 201 (6 bytes)")
        check(NetworkResponse(value: 1, response: response.head, request: response.request), "GET https://h/a -> 201")
        check(NetworkResponse(value: 1, response: response.head), "201")
        check(ResponseBody(source: PiecesSource([Self.body])), "a stream")
    }

    @Test func anErrorShowsItsStatus() {
        let head = HTTPResponse(status: .seeOther, headerFields: [.location: Self.url])
        check(
            NetworkClientError(.invalidRedirect, "no", response: head, body: Self.body),
            "invalidRedirect: no (status 303)")
        struct Quoting: Error, CustomDebugStringConvertible { let debugDescription = Leaks.mark }
        check(NetworkClientError(.decodingFailed, "no", cause: Quoting()), "decodingFailed: no")
    }
}
