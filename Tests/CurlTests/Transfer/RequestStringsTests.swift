// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import Foundation
import HTTPTypes
import StrataTransportSupport
import Testing

@testable import StrataCurl

struct RequestStringsTests {
    private func lines(_ strings: RequestStrings) -> [String] {
        var lines: [String] = []
        var node = strings.lines
        while let line = node {
            lines.append(String(cString: line.pointee.data))
            node = line.pointee.next
        }
        return lines
    }

    private func head(_ fields: HTTPFields, method: HTTPRequest.Method = .get, path: String = "/p?q=1") -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: "example.com:81", path: path, headerFields: fields)
    }

    @Test func writesTheRequestInLibcurlsTerms() {
        let strings = RequestStrings()
        var fields = HTTPFields()
        fields.append(HTTPField(name: HTTPField.Name("X-B")!, value: "1"))
        fields.append(HTTPField(name: HTTPField.Name("x-a")!, value: ""))
        fields.append(HTTPField(name: HTTPField.Name("X-B")!, value: "a  b\tc"))
        strings.fill(
            head(fields, method: .patch), [.acceptEncoding, .noAccept, .noContentType, .noExpect], payload: nil)
        #expect(String(cString: strings.url) == "http://example.com:81/p?q=1")
        #expect(String(cString: strings.method) == "PATCH")
        #expect(
            lines(strings) == [
                "X-B: 1", "x-a;", "X-B: a  b\tc", "Accept-Encoding: \(ContentCoding.acceptable)", "Accept:",
                "Content-Type:", "Expect:",
            ])
    }

    @Test func allCookiesAreInOneLine() throws {
        let strings = RequestStrings()
        var fields = HTTPFields()
        fields[.cookie] = "a=1; b=2"
        fields[.accept] = "*/*"
        fields.append(HTTPField(name: try #require(HTTPField.Name("cookie")), lenientValue: [0x63, 0x3d, 0xe9]))
        #expect(fields.count == 4)
        strings.fill(head(fields), [.noContentType], payload: nil)
        let first = try #require(strings.lines?.pointee.data)
        #expect(Data(bytes: first, count: 22) == Data("Cookie: a=1; b=2; c=".utf8) + [0xe9, 0])
        #expect(Array(lines(strings).dropFirst()) == ["Accept: */*", "Content-Type:"])
        for value in ["a=1", ""] {
            strings.fill(head([.cookie: value]), [], payload: nil)
            #expect(lines(strings) == [value.isEmpty ? "Cookie;" : "Cookie: a=1"])
        }
    }

    @Test func tellsTheTargetApart() {
        let strings = RequestStrings()
        for path in ["/p?q=1", "/", "//a/../%20"] {
            strings.fill(head([:], path: path), [], payload: nil)
            #expect(String(decoding: strings.origin, as: UTF8.self) == "http://example.com:81")
            #expect(String(cString: strings.target) == path)
        }
    }

    @Test func leavesFramingToLibcurl() {
        let strings = RequestStrings()
        strings.fill(head([.contentLength: "3", .transferEncoding: "chunked", .accept: "*/*"]), [], payload: nil)
        #expect(lines(strings) == ["Accept: */*"])
    }

    @Test func keepsASmallBody() {
        let strings = RequestStrings()
        let body = Data((0...255).map { UInt8($0) })
        body.withUnsafeBytes { strings.fill(head([:]), [], payload: $0) }
        #expect(Data(bytes: strings.payload, count: body.count) == body)
    }

    @Test func growsAndServesAgain() {
        let strings = RequestStrings()
        for size in [10, 100_000, 20, 3000] {
            let value = String(repeating: "v", count: size)
            let path = "/" + String(repeating: "p", count: size)
            strings.fill(head([.accept: value, .userAgent: value], path: path), [], payload: nil)
            #expect(lines(strings) == ["Accept: \(value)", "User-Agent: \(value)"])
            #expect(String(cString: strings.url) == "http://example.com:81" + path)
        }
    }
}
