// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Testing

@testable import StrataNative

struct RequestWriterTests {
    private func head(
        _ method: HTTPMethod = .get, _ authority: String = "a.example", _ path: String = "/", _ fields: HTTPFields = [:]
    ) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: authority, path: path, headerFields: fields)
    }

    private func write(
        _ head: HTTPRequest, _ framing: RequestWriter.Framing = .none, isAbsolute: Bool = false,
        acceptEncoding: String? = nil
    ) throws(NetworkClientError) -> String {
        var buffer = ByteBuffer()
        try RequestWriter.write(head, framing, isAbsolute: isAbsolute, acceptEncoding: acceptEncoding, to: &buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test func writesTheTargetAsItIs() throws {
        let target = "/a%2Fb//../%E2%82%AC?x=%2B+%26&y[]=1'|"
        #expect(
            try write(head(.get, "a.example:8080", target)) == "GET \(target) HTTP/1.1\r\nHost: a.example:8080\r\n\r\n")
    }

    /// RFC 9112 §3.2.2.
    @Test(arguments: [
        ("a.example", "/b?c", "http://a.example/b?c"), ("a.example:8080", "/?", "http://a.example:8080/?"),
        ("[fe80::1%25eth0]:80", "/", "http://[fe80::1]:80/"),
    ])
    func aProxyGetsTheWholeURL(_ authority: String, _ path: String, _ target: String) throws {
        let text = try write(head(.get, authority, path), isAbsolute: true)
        #expect(text.hasPrefix("GET \(target) HTTP/1.1\r\nHost: "))
    }

    @Test func hostIsFirstAndFromTheAuthorityUnlessAFieldSaysOtherwise() throws {
        let fields: HTTPFields = [.accept: "*/*", HTTPField.Name("host")!: "other.example", .userAgent: "x"]
        let text = try write(head(.get, "a.example", "/", fields))
        #expect(text == "GET / HTTP/1.1\r\nHost: other.example\r\nAccept: */*\r\nUser-Agent: x\r\n\r\n")
        var twice = fields
        twice.append(HTTPField(name: HTTPField.Name("Host")!, value: "third.example"))
        #expect { try write(head(.get, "a.example", "/", twice)) } throws: {
            ($0 as? NetworkClientError)?.code == .invalidRequest
        }
    }

    @Test func hostHasNoZone() throws {
        #expect(try write(head(.get, "[fe80::1%25eth0]:80")).contains("Host: [fe80::1]:80\r\n"))
        #expect(try write(head(.get, "[::1]")).contains("Host: [::1]\r\n"))
    }

    @Test func keepsOrderSpellingRepeatsAndEmptyValues() throws {
        var fields = HTTPFields()
        for (name, value) in [("X-B", "1"), ("x-a", "a  b\tc"), ("X-B", ""), ("X-B", "3")] {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        #expect(
            try write(head(.get, "a", "/", fields))
                == "GET / HTTP/1.1\r\nHost: a\r\nX-B: 1\r\nx-a: a  b\tc\r\nX-B:\r\nX-B: 3\r\n\r\n")
    }

    @Test func bytesOutsideOfASCIIPass() throws {
        var buffer = ByteBuffer()
        let field = HTTPField(name: .userAgent, lenientValue: [0x61, 0xe9])
        try RequestWriter.write(head(.get, "a", "/", HTTPFields(CollectionOfOne(field))), .none, to: &buffer)
        let bytes = Array(buffer.bytes)
        #expect(bytes.contains(0xe9))
    }

    @Test func cookiesShareALine() throws {
        var fields: HTTPFields = [.accept: "x"]
        fields[.cookie] = "a=1; b=2"
        fields[.userAgent] = "y"
        #expect(try write(head(.get, "a", "/", fields)).contains("Accept: x\r\nCookie: a=1; b=2\r\nUser-Agent: y\r\n"))
    }

    @Test func framesTheBodyItself() throws {
        let lies: HTTPFields = [.contentLength: "3", .transferEncoding: "gzip", .contentType: "text/plain"]
        #expect(
            try write(head(.post, "a", "/", lies), .length(5))
                == "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n")
        #expect(
            try write(head(.post, "a", "/", lies), .chunked).hasSuffix(
                "text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"))
        #expect(try write(head(.get, "a", "/", lies)).hasSuffix("text/plain\r\n\r\n"))
        #expect(try write(head(.post), .length(.max)).contains("Content-Length: 9223372036854775807\r\n"))
        #expect(try write(head(.post), .length(0)).contains("Content-Length: 0\r\n"))
    }

    @Test func addsWhatMayBeDecoded() throws {
        #expect(try write(head(), acceptEncoding: "gzip").hasSuffix("Accept-Encoding: gzip\r\n\r\n"))
    }

    @Test func writesChunksAndTrailers() throws {
        var buffer = ByteBuffer(capacity: 1)
        for size in [1, 10, 255, 65_536] {
            RequestWriter.writeChunkStart(size, to: &buffer)
            RequestWriter.writeChunkEnd(to: &buffer)
        }
        RequestWriter.writeChunkStart(0, to: &buffer)
        try RequestWriter.writeLastChunk(trailers: [HTTPField.Name("X-Sum")!: "1"], to: &buffer)
        try RequestWriter.writeLastChunk(to: &buffer)
        let text = String(decoding: buffer.bytes, as: UTF8.self)
        #expect(text == "1\r\n\r\na\r\n\r\nff\r\n\r\n10000\r\n\r\n0\r\nX-Sum: 1\r\n\r\n0\r\n\r\n")
    }

    @Test(arguments: [
        "Content-Length", "Transfer-Encoding", "Host", "Authorization", "Trailer", "If-Match", "Content-Type",
    ])
    func refusesTheTrailer(_ name: String) throws {
        var buffer = ByteBuffer()
        let trailers: HTTPFields = [try #require(HTTPField.Name(name)): "1"]
        #expect {
            try RequestWriter.writeLastChunk(trailers: trailers, to: &buffer)
        } throws: {
            ($0 as? NetworkClientError)?.code == .invalidRequest
        }
        let isEmpty = buffer.isEmpty
        #expect(isEmpty)
    }

    @Test func theBufferIsUsedAgain() {
        var buffer = ByteBuffer(capacity: 64)
        for _ in 0..<100 { buffer.append("0123456789") }
        let count = buffer.count
        #expect(count == 1000)
        let last = Array(buffer.bytes.suffix(10))
        #expect(last == Array("0123456789".utf8))
        buffer.removeAll(keeping: 128)
        let isEmpty = buffer.isEmpty
        #expect(isEmpty)
        buffer.append("abc")
        let bytes = Array(buffer.bytes)
        #expect(bytes == Array("abc".utf8))
    }
}
