// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Testing

@testable import StrataURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct ResponseTranslationTests {
    private func response(_ fields: HTTPFields, status: Int = 200, to method: HTTPRequest.Method = .get) throws
        -> TransportResponse
    {
        try ResponseTranslation.response(
            head: HTTPResponse(status: .init(code: status), headerFields: fields), to: method, body: PiecesSource([]),
            firstByte: .zero)
    }

    @Test func splitsCookiesAndKeepsTheRest() throws {
        let response = try #require(
            HTTPURLResponse(
                url: URL(filePath: "/"), statusCode: 207, httpVersion: "HTTP/1.1",
                headerFields: ["Set-Cookie": "a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT, b=2", "X-List": "1, 2"]))
        let head = ResponseTranslation.head(of: response)
        #expect(head.status.code == 207)
        #expect(head.headerFields[values: .setCookie] == ["a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT", "b=2"])
        #expect(head.headerFields[values: HTTPField.Name("x-list")!] == ["1, 2"])
    }

    @Test(arguments: [
        ("/y, /z", ["/y", "/z"]),
        ("https://a.example/, HTTPS://b.example/", ["https://a.example/", "HTTPS://b.example/"]),
        ("/a,/b", ["/a,/b"]), ("/a, b", ["/a, b"]), ("/only", ["/only"]),
    ])
    func tellsTargetsThatWereJoinedApart(_ text: String, _ locations: [String]) throws {
        let url = try #require(URL(string: "http://h/"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 302, httpVersion: nil, headerFields: ["Location": text]))
        #expect(ResponseTranslation.head(of: response).headerFields[values: .location] == locations)
    }

    @Test func takesAwayWhatDecodingMadeUntrue() throws {
        let response = try response([.contentEncoding: "gzip", .contentLength: "12", .eTag: "x"])
        #expect(response.head.headerFields == [.eTag: "x"])
        #expect(response.metrics?.contentEncoding == "gzip")
        #expect(response.metrics?.contentLength == 12)
        #expect(response.body.length == nil)
    }

    @Test(arguments: [(200, HTTPRequest.Method.head), (304, .get)])
    func leavesTheHeadOfAResponseWithoutBodyAlone(_ status: Int, _ method: HTTPRequest.Method) throws {
        let fields: HTTPFields = [.contentEncoding: "gzip", .contentLength: "12"]
        let response = try response(fields, status: status, to: method)
        #expect(response.head.headerFields == fields)
        #expect(response.body.length == 0)
    }

    @Test(arguments: [("12", 12), ("12, 12", 12), ("0", 0), ("9223372036854775807", Int64.max)])
    func knowsTheLength(_ text: String, _ length: Int64) throws {
        #expect(try response([.contentLength: text]).body.length == length)
    }

    @Test(arguments: ["12, 13", "0x5", "-1", "+5", "", "5,", "9223372036854775808", "5 5"])
    func refusesALengthThatIsNone(_ text: String) {
        let error = #expect(throws: NetworkClientError.self) { try response([.contentLength: text]) }
        #expect(error?.code == .protocolViolation)
    }

    @Test func doesNotReadTheLengthOfAChunkedBody() throws {
        #expect(try response([.contentLength: "x", .transferEncoding: "chunked"]).body.length == nil)
    }
}
