// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Testing

struct HTTPSemanticsTests {
    @Test(arguments: [
        ("GET", true), ("HEAD", true), ("PUT", true), ("DELETE", true), ("OPTIONS", true), ("TRACE", true),
        ("PROPFIND", true), ("QUERY", true), ("POST", false), ("PATCH", false), ("CONNECT", false), ("get", false),
        ("PURGE", false),
    ])
    func methodsAreIdempotentByTheRegistry(name: String, isIdempotent: Bool) throws {
        #expect(try #require(HTTPRequest.Method(name)).isIdempotent == isIdempotent)
    }

    @Test func aMissingBodyIsWorthALengthForThreeMethods() {
        let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        #expect(methods.filter(\.expectsContent) == [.post, .put, .patch])
    }

    @Test func lengthAndTransferCodingAreFraming() {
        let names: [HTTPField.Name] = [.contentLength, .transferEncoding, .contentType, .te, .connection]
        #expect(names.filter(\.isFraming) == [.contentLength, .transferEncoding])
    }

    @Test func fiveStatusesAreRedirects() {
        let codes = (200...599).filter { HTTPResponse.Status(code: $0).isRedirect }
        #expect(codes == [301, 302, 303, 307, 308])
    }

    /// RFC 9110 §6.4.1.
    @Test func aResponseHasContentUnlessMethodOrStatusSayOtherwise() {
        let without = (100...599).filter { !HTTPRequest.Method.get.responseHasContent(status: $0) }
        #expect(without == Array(100...199) + [204, 304])
        #expect((100...599).allSatisfy { !HTTPRequest.Method.head.responseHasContent(status: $0) })
        #expect(HTTPRequest.Method.post.responseHasContent(status: 205))
        #expect((200...599).filter { HTTPResponse.Status(code: $0).hasNoContent } == [204, 205])
    }

    /// RFC 9110 §6.5.1.
    @Test func fieldsThatAreActedOnEarlyAreNoTrailers() throws {
        let trailers = [
            "Server-Timing", "Content-Digest", "Repr-Digest", "Accept-Ranges", "ETag", "grpc-status", "Last-Modified",
            "Authentication-Info", "Proxy-Authentication-Info", "Ifx", "Security",
        ]
        let head = [
            "Content-Length", "transfer-encoding", "Trailer", "Host", "If-Match", "Accept", "Accept-Encoding",
            "Access-Control-Allow-Origin", "Sec-Fetch-Mode", "Authorization", "Set-Cookie", "Cache-Control", "Vary",
            "Content-Type", "Content-Encoding", "Location", "Retry-After", "TE", "Range",
        ]
        for name in trailers { #expect(try #require(HTTPField.Name(name)).mayBeTrailer, "\(name)") }
        for name in head { #expect(try #require(HTTPField.Name(name)).mayBeTrailer == false, "\(name)") }
        #expect(HTTPFields().asTrailers == nil)
        #expect(([.age: "1", .contentType: "a/b"] as HTTPFields).asTrailers == nil)
        #expect(
            ([.age: "1", .eTag: "e", .lastModified: "l"] as HTTPFields).asTrailers == [.eTag: "e", .lastModified: "l"])
        #expect(([.eTag: "e"] as HTTPFields).asTrailers == [.eTag: "e"])
    }
}
