// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

/// Files that browsers and proxies have exported.
struct HARImportTests {
    private func cassette(_ entries: String..., creator: String = "WebInspector") throws -> Cassette {
        try Cassette(
            Data(
                #"{"log": {"version": "1.2", "creator": {"name": "\#(creator)", "version": "537.36"}, "pages": [], "entries": [\#(entries.joined(separator: ","))]}}"#
                    .utf8))
    }

    private func entry(
        _ url: String, response: String, request: String = #""method": "GET""#,
        timings: String = #""send": 1, "wait": 20, "receive": 5"#
    ) -> String {
        """
        {"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 30, "_resourceType": "fetch", "_priority": null, "pageref": "page_1",
         "request": {\(request), "url": "\(url)", "httpVersion": "h2", "headers": [], "queryString": [], "cookies": []},
         "response": \(response), "cache": {}, "timings": {\(timings), "blocked": 4.5, "dns": -1, "ssl": -1, "connect": -1, "_queued": 1}}
        """
    }

    private func get(_ cassette: Cassette, _ url: String = "https://h/") async throws -> TransportResponse {
        try await CassetteTransport(cassette).send(TransportRequest(url: url))
    }

    @Test func chromiumsPseudoFieldsAndCodingsAreUndone() async throws {
        let cassette = try cassette(
            entry(
                "https://h/",
                response: """
                    {"status": 200, "statusText": "", "httpVersion": "http/2.0", "headers": [
                      {"name": ":status", "value": "200"}, {"name": "content-type", "value": "application/json"},
                      {"name": "content-encoding", "value": "br"}, {"name": "content-length", "value": "7"},
                      {"name": "transfer-encoding", "value": "chunked"},
                      {"name": "set-cookie", "value": "a=1; path=/\\nb=2"}, {"name": "vary", "value": "a"}, {"name": "vary", "value": "b"}],
                     "content": {"size": 13, "mimeType": "application/json", "text": "{\\"id\\": 12345}", "compression": 6},
                     "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 200, "_error": null}
                    """))
        let response = try await get(cassette)
        let fields = response.head.headerFields
        #expect(fields[.contentEncoding] == nil && fields[.contentLength] == nil && fields[.transferEncoding] == nil)
        #expect(fields[values: .setCookie] == ["a=1; path=/", "b=2"])
        #expect(fields[values: .vary] == ["a", "b"])
        #expect(try await response.body.collect() == Data(#"{"id": 12345}"#.utf8))
        #expect(response.metrics?.httpVersion == "http/2.0")
        #expect(cassette.entries[0].headTime == .microseconds(25_500))
    }

    @Test func aWrongContentLengthIsThatOfTheBody() async throws {
        let cassette = try cassette(
            entry(
                "https://h/",
                response:
                    #"{"status": 200, "headers": [{"name": "Content-Length", "value": "99999"}], "content": {"size": 2, "text": "ok"}}"#
            ))
        let response = try await get(cassette)
        #expect(response.head.headerFields[.contentLength] == "2")
        #expect(try await response.body.collect() == Data("ok".utf8))
    }

    @Test(arguments: ["aGVsbG8=", "aGVsbG8", #"aGVs\nbG8="#, #"aGVsbG8\u003d"#])
    func base64IsDecoded(_ text: String) async throws {
        let cassette = try cassette(
            entry(
                "https://h/",
                response: #"{"status": 200, "headers": [], "content": {"text": "\#(text)", "encoding": "base64"}}"#))
        #expect(try await get(cassette).body.collect() == Data("hello".utf8))
    }

    @Test func aBodyThatIsStillEncodedKeepsItsCoding() async throws {
        let gzip = Data([0x1F, 0x8B, 8, 0, 1, 2, 3]).base64EncodedString()
        let cassette = try cassette(
            entry(
                "https://h/",
                response:
                    #"{"status": 200, "headers": [{"name": "content-encoding", "value": "gzip"}], "content": {"text": "\#(gzip)", "encoding": "base64"}}"#
            ))
        #expect(try await get(cassette).head.headerFields[.contentEncoding] == "gzip")
    }

    @Test func redirectsComeFromTheirMember() async throws {
        let cassette = try cassette(
            entry(
                "https://h/",
                response: #"{"status": 302, "headers": [], "content": {}, "redirectURL": "https://h/next"}"#),
            entry("https://h/next", response: #"{"status": 200, "headers": [], "content": {"text": "there"}}"#))
        let client = NetworkClient(configuration: .init(baseURL: nil as URL?, transport: CassetteTransport(cassette)))
        let response = try await client.execute(TransportRequest(url: "https://h/"))
        #expect(try await response.body.collect() == Data("there".utf8))
    }

    @Test(arguments: [
        ("net::ERR_BLOCKED_BY_CLIENT", NetworkClientError.Code.cannotConnect),
        ("net::ERR_NAME_NOT_RESOLVED", .dnsFailed),
        ("net::ERR_CERT_DATE_INVALID", .tlsFailed), ("net::ERR_CONNECTION_RESET", .connectionLost),
        ("", .cannotConnect),
    ])
    func aBlockedRequestFails(_ error: String, _ code: NetworkClientError.Code) async throws {
        let cassette = try cassette(
            entry(
                "https://h/",
                response:
                    #"{"status": 0, "statusText": "", "headers": [], "content": {"size": 0, "mimeType": "x-unknown"}, "_error": "\#(error)"}"#
            ))
        await #expect {
            try await get(cassette)
        } throws: {
            isFailure($0, code)
        }
    }

    @Test func aBodyThatWasNotExportedIsAnError() async throws {
        let cassette = try cassette(
            entry(
                "https://h/",
                response: #"{"status": 200, "headers": [], "content": {"size": 1234, "mimeType": "text/html"}}"#))
        let error = await #expect(throws: NetworkClientError.self) { try await get(cassette) }
        #expect(error?.message.contains("log.entries[0].response.content") == true)
        #expect(error?.message.contains("1234 bytes") == true)
    }

    @Test func otherSchemesAreNoEntriesToBeUsed() throws {
        let cassette = try cassette(
            entry("data:text/plain,x", response: #"{"status": 200, "headers": [], "content": {}}"#),
            entry("ftp://h/file", response: #"{"status": 200, "headers": [], "content": {}}"#))
        try CassetteTransport(cassette).verify()
    }

    @Test func aFormIsMadeOfItsParameters() throws {
        let cassette = try cassette(
            entry(
                "https://h/", response: #"{"status": 200, "headers": [], "content": {}}"#,
                request:
                    #""method": "POST", "postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a b", "value": "1&2"}, {"name": "c"}]}"#
            ))
        #expect(try cassette.entries[0].requestBody() == Data("a+b=1%262&c=".utf8))
    }

    @Test func secretsOfAnExportAreMatchedAsTheyAreAndMasked() async throws {
        let cassette = try cassette(
            entry(
                "https://h/a?token=real", response: #"{"status": 200, "headers": [], "content": {"text": "x"}}"#,
                request:
                    #""method": "POST", "postData": {"mimeType": "application/json", "text": "{\"password\": \"p\"}"}"#)
        )
        let request = try TransportRequest(
            method: .post, url: "https://h/a?token=other", headerFields: [.contentType: "application/json"],
            body: .data(Data(#"{"password": "q"}"#.utf8)))
        #expect(try await CassetteTransport(cassette).send(request).head.status == .ok)
    }

    @Test func halfOfASurrogatePairIsReplaced() async throws {
        let cassette = try cassette(
            entry(
                "https://h/", response: #"{"status": 200, "headers": [], "content": {"text": "a\ud800b \ud83d\ude00"}}"#
            ))
        #expect(try await get(cassette).body.collect() == Data("a\u{FFFD}b \u{1F600}".utf8))
    }

    @Test func fragmentsAreNotSent() async throws {
        let cassette = try cassette(
            entry("https://h/a#part", response: #"{"status": 200, "headers": [], "content": {}}"#))
        #expect(try await get(cassette, "https://h/a").head.status == .ok)
    }

    @Test(arguments: [String.Encoding.utf16BigEndian, .utf16LittleEndian, .utf32BigEndian, .utf8])
    func aByteOrderMarkIsUnderstood(_ encoding: String.Encoding) throws {
        let text = "\u{feff}" + #"{"log": {"entries": []}}"#
        #expect(try Cassette(#require(text.data(using: encoding))).entries.isEmpty)
    }

    @Test func mitmproxysExportIsReplayed() async throws {
        let cassette = try cassette(
            """
            {"startedDateTime": "2026-01-01T00:00:00.123456+00:00", "time": 12.5,
             "request": {"method": "POST", "url": "https://h/", "httpVersion": "HTTP/2.0", "cookies": [], "headers": [{"name": "accept", "value": "*/*"}],
                         "queryString": [], "headersSize": 10, "bodySize": 3, "postData": {"mimeType": "", "text": "a=b", "params": []}},
             "response": {"status": 200, "statusText": "", "httpVersion": "HTTP/2.0", "cookies": [],
                          "headers": [{"name": "content-encoding", "value": "gzip"}, {"name": "content-length", "value": "23"}],
                          "content": {"size": 23, "compression": -20, "mimeType": "", "text": "abc"}, "redirectURL": "", "headersSize": 1, "bodySize": 23},
             "cache": {}, "timings": {"connect": 1.1, "ssl": 2.2, "send": 3.3, "receive": 4.4, "wait": 1.5}, "serverIPAddress": "127.0.0.1"}
            """, creator: "mitmproxy")
        let request = try TransportRequest(method: .post, url: "https://h/", body: .data(Data("a=b".utf8)))
        let response = try await CassetteTransport(cassette).send(request)
        #expect(try await response.body.collect() == Data("abc".utf8))
        #expect(response.head.headerFields[.contentEncoding] == nil)
    }
}
