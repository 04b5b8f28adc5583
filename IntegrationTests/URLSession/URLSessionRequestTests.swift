// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import StrataURLSession
import TestSupport
import Testing

/// What goes out.
struct URLSessionRequestTests {
    /// The request as a server saw it.
    private func seen(
        _ method: HTTPRequest.Method = .get, path: String = "/", _ fields: HTTPFields = [:], body: RequestBody = .empty
    ) async throws -> RawLog.Request {
        try await RawServer.withServer(script: [.readRequest, .respond(body: "ok")]) { server in
            try await withURLSession { transport in
                let text = try await transport.text(method, server.url + path, fields, body: body)
                #expect(text == "ok")
            }
            return try #require(server.log.requests.first)
        }
    }

    #if os(Linux)
    @Test func addsNothingButHostAndTheCodings() async throws {
        let request = try await seen(path: "/a%2Fb?q=%2B&r=a+b")
        #expect(request.target == "/a%2Fb?q=%2B&r=a+b")
        #expect(request.fields.map(\.name) == ["Host", "Accept-Encoding"])
    }

    @Test func addsNoFormTypeToAPost() async throws {
        let request = try await seen(.post, body: .data(Data("{}".utf8)))
        #expect(request.values(of: "Content-Type") == [])
        #expect(Set(request.fields.map(\.name)) == ["Host", "Accept-Encoding", "Content-Length"])
    }
    #endif

    @Test func keepsTheCallersFields() async throws {
        var fields: HTTPFields = [.userAgent: "Test/1", .accept: "a/b", .contentType: "c/d", .acceptLanguage: "eo"]
        for value in ["1", "2"] { try fields.addValue(value, forName: "X-Twice") }
        try fields.addValue("", forName: "X-Empty")
        let request = try await seen(.put, fields, body: .data(Data("x".utf8)))
        #expect(request.values(of: "user-agent") == ["Test/1"])
        #expect(request.values(of: "accept") == ["a/b"])
        #expect(request.values(of: "content-type") == ["c/d"])
        #expect(request.values(of: "accept-language") == ["eo"])
        #expect(request.values(of: "x-twice") == ["1, 2"])
        #expect(request.values(of: "x-empty") == [""])
    }

    @Test(arguments: [HTTPRequest.Method.delete, .options, .init("PURGE")!])
    func sendsNoLengthWithoutABody(_ method: HTTPRequest.Method) async throws {
        let request = try await seen(method)
        #expect(request.method == method.rawValue)
        #if os(Linux)
        #expect(request.values(of: "Content-Length") == [])
        #endif
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch])
    func saysThatThereIsNoContentWhereSomeIsExpected(_ method: HTTPRequest.Method) async throws {
        #expect(try await seen(method).values(of: "Content-Length") == ["0"])
    }

    private static let large = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 251) })

    @Test(arguments: [1, 5, 65_536, 400_000], [true, false])
    func streamsABody(_ pieceSize: Int, _ knowsLength: Bool) async throws {
        let size = min(Self.large.count, pieceSize * 200)
        let pieces = stride(from: 0, to: size, by: pieceSize).map { Self.large[$0..<min(size, $0 + pieceSize)] }
        let body = RequestBody.stream(length: knowsLength ? Int64(size) : nil, isReplayable: true) {
            PiecesSource(pieces)
        }
        let request = try await seen(.post, body: body)
        #expect(Data(request.body) == Self.large.prefix(size))
        #if os(Linux)
        let isChunked = false
        #else
        let isChunked = !knowsLength
        #endif
        #expect(request.values(of: "Content-Length") == (isChunked ? [] : ["\(size)"]))
        #expect(request.values(of: "Transfer-Encoding") == (isChunked ? ["chunked"] : []))
    }

    @Test func streamsABodyOfNothing() async throws {
        let request = try await seen(.post, body: .stream(length: 0, isReplayable: true) { PiecesSource([]) })
        #expect(request.body.isEmpty)
        #expect(request.values(of: "Content-Length") == ["0"])
    }

    @Test func sendsAFileAndAPartOfOne() async throws {
        let folder = try TemporaryFolder()
        let file = folder["body"]
        try Self.large.write(to: file)
        let whole = try await seen(.put, body: .file(file))
        #expect(Data(whole.body) == Self.large)
        #expect(whole.values(of: "Content-Length") == ["\(Self.large.count)"])
        let part = try await seen(.put, body: .file(file, offset: 100, length: 70_000))
        #expect(Data(part.body) == Self.large[100..<70_100])
    }

    @Test func sendsDataInMemory() async throws {
        let request = try await seen(.post, body: .data(Self.large))
        #expect(Data(request.body) == Self.large)
        #expect(try await seen(.post, body: .data(Data())).values(of: "Content-Length") == ["0"])
    }

    @Test(arguments: [Int64(3), 30])
    func neverPassesAWrongLengthOff(_ length: Int64) async throws {
        try await RawServer.withServer(script: [.readRequest, .respond(body: "ok")]) { server in
            try await withURLSession { transport in
                let body = RequestBody.stream(length: length, isReplayable: true) {
                    PiecesSource([Data("hello".utf8), Data("world".utf8)])
                }
                let error = await #expect(throws: NetworkClientError.self) {
                    try await transport.text(.post, server.url, body: body)
                }
                #expect(error?.code == .uploadFailed)
            }
        }
    }
}
