// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import TestSupport
import Testing

struct RedactedCurlCommandTests {
    private static let password = "\(Leaks.mark)-password"
    private static let apiKey = "\(Leaks.mark)-api-key"
    private static let cookie = "\(Leaks.mark)-cookie"

    private func command(
        _ method: HTTPMethod = .get, _ url: String = "https://a.example/", _ fields: HTTPFields = [:],
        body: RequestBody = .empty, limit: Int = .max, options: (inout RequestOptions) -> Void = { _ in }
    ) throws -> String {
        var request = try TransportRequest(method: method, url: url, headerFields: fields, body: body)
        options(&request.options)
        let command = request.curlCommand(redaction: .standard, bodyLimit: limit)
        Leaks.check(command, "a curl command")
        return command
    }

    @Test func showsNoSecret() throws {
        let text = try command(
            .post, "https://me:\(Self.password)@a.example/?k=\(Self.apiKey)&page=1",
            [.cookie: Self.cookie, .contentType: "application/json"],
            body: .data(Data(#"{"password":"\#(Self.password)","a":1}"#.utf8))
        ) { $0.sensitiveQueryItems = ["k"] }
        #expect(text.contains("?k=***&page=1"))
        #expect(text.contains("'Authorization: Basic ***'"))
        #expect(text.contains(#"{"password":"***","a":1}"#))
    }

    @Test func showsNoUserInformationOfAnAuthorityMadeByHand() throws {
        var request = try TransportRequest(url: "https://a.example/x")
        request.head.authority = "me:\(Self.password)/\(Self.password)@a.example"
        #expect(request.curlCommand(redaction: .standard).hasPrefix("curl 'https://a.example/x' "))
    }

    @Test func hidesTheWholeOfASecretInTheURL() throws {
        var request = try TransportRequest(url: "https://a.example/")
        request.head.path = "/?a=1&password=S\"S<S>'S&page=2"
        #expect(
            request.curlCommand(redaction: .standard).hasPrefix("curl 'https://a.example/?a=1&password=***&page=2' "))
    }

    @Test func namesBodiesThatAreNotText() throws {
        let bytes = RequestBody.data(Data([0xff]))
        let text = try command(.post, "https://a.example/", [.contentType: "image/png"], body: bytes)
        #expect(text.hasSuffix("'<1 bytes of image/png>'"))
    }

    @Test func cutsLongBodies() throws {
        let text = try command(.post, body: .data(Data("0123456789".utf8)), limit: 4)
        #expect(text.hasSuffix("'0123 … and 6 bytes'"))
        #expect(try command(.post, body: .data(Data("0123".utf8)), limit: -1).hasSuffix("' … and 4 bytes'"))
    }
}
