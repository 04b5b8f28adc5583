// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import Foundation
import HTTPTypes
import Testing

@testable import StrataCurl

struct RequestArenaTests {
    private func lines(_ arena: RequestArena) -> [String] {
        var lines: [String] = []
        var node = arena.lines
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
        let arena = RequestArena()
        var fields = HTTPFields()
        fields.append(HTTPField(name: HTTPField.Name("X-B")!, value: "1"))
        fields.append(HTTPField(name: HTTPField.Name("x-a")!, value: ""))
        fields.append(HTTPField(name: HTTPField.Name("X-B")!, value: "a  b\tc"))
        arena.fill(
            head(fields, method: .patch), [.acceptEncoding, .noAccept, .noContentType, .noExpect], payload: nil)
        #expect(String(cString: arena.url) == "http://example.com:81/p?q=1")
        #expect(String(cString: arena.method) == "PATCH")
        #expect(
            lines(arena) == [
                "X-B: 1", "x-a;", "X-B: a  b\tc", "Accept-Encoding: \(ContentCoding.acceptable)", "Accept:",
                "Content-Type:", "Expect:",
            ])
    }

    @Test func allCookiesAreInOneLine() throws {
        let arena = RequestArena()
        var fields = HTTPFields()
        fields[.cookie] = "a=1; b=2"
        fields[.accept] = "*/*"
        fields.append(HTTPField(name: try #require(HTTPField.Name("cookie")), lenientValue: [0x63, 0x3d, 0xe9]))
        #expect(fields.count == 4)
        arena.fill(head(fields), [.noContentType], payload: nil)
        let first = try #require(arena.lines?.pointee.data)
        #expect(Data(bytes: first, count: 22) == Data("Cookie: a=1; b=2; c=".utf8) + [0xe9, 0])
        #expect(Array(lines(arena).dropFirst()) == ["Accept: */*", "Content-Type:"])
        for value in ["a=1", ""] {
            arena.fill(head([.cookie: value]), [], payload: nil)
            #expect(lines(arena) == [value.isEmpty ? "Cookie;" : "Cookie: a=1"])
        }
    }

    @Test func tellsTheTargetApart() {
        let arena = RequestArena()
        for path in ["/p?q=1", "/", "//a/../%20"] {
            arena.fill(head([:], path: path), [], payload: nil)
            #expect(String(decoding: arena.origin, as: UTF8.self) == "http://example.com:81")
            #expect(String(cString: arena.target) == path)
        }
    }

    @Test func leavesFramingToLibcurl() {
        let arena = RequestArena()
        arena.fill(head([.contentLength: "3", .transferEncoding: "chunked", .accept: "*/*"]), [], payload: nil)
        #expect(lines(arena) == ["Accept: */*"])
    }

    @Test func keepsASmallBody() {
        let arena = RequestArena()
        let body = Data((0...255).map { UInt8($0) })
        body.withUnsafeBytes { arena.fill(head([:]), [], payload: $0) }
        #expect(Data(bytes: arena.payload, count: body.count) == body)
    }

    @Test func growsAndServesAgain() {
        let arena = RequestArena()
        for size in [10, 100_000, 20, 3000] {
            let value = String(repeating: "v", count: size)
            let path = "/" + String(repeating: "p", count: size)
            arena.fill(head([.accept: value, .userAgent: value], path: path), [], payload: nil)
            #expect(lines(arena) == ["Accept: \(value)", "User-Agent: \(value)"])
            #expect(String(cString: arena.url) == "http://example.com:81" + path)
        }
    }
}
