// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Synchronization
import Testing

struct TransportRequestTests {
    @Test(arguments: [
        "h", "A_b-c.example", "h:", "h:0", "h:65535", "h:000080", "127.0.0.1:80", "[::1]", "[::1]:8443", "a%2eexample",
    ])
    func anAuthorityIsAHostWithAPort(_ authority: String) {
        let head = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
        #expect(throws: Never.self) { try TransportRequest(head: head).validate() }
    }

    @Test func aCopyIsAValueOfItsOwn() throws {
        let original = try TransportRequest(url: "http://host/path", body: .data(Data("body".utf8)))
        var copy = original
        copy.head.path = "/other"
        copy.body = .empty
        copy.options.timeouts.idle = .seconds(1)
        copy.middleware = []
        #expect(original.head.path == "/path")
        #expect(original.body.data == Data("body".utf8))
        #expect(original.options.timeouts.idle == .seconds(60))
        #expect(original.middleware == nil)
        #expect(copy.head.path == "/other")
        #expect(copy.body.isEmpty)
        #expect(copy.options.timeouts.idle == .seconds(1))
        #expect(copy.middleware?.isEmpty == true)
    }

    @Test(
        arguments: [
            ("https", "h", "/", nil), ("http", "h", "/a?b=%20~!", nil), ("ftp", "h", "/", "absolute http or https URL"),
            (nil, "h", "/", "absolute http or https URL"), ("https", nil, "/", "absolute http or https URL"),
            ("https", "", "/", "absolute http or https URL"), ("https", "h", nil, "begin with a slash"),
            ("https", "h", "", "begin with a slash"), ("https", "h", "a", "begin with a slash"),
            ("https", "h", "*", "begin with a slash"), ("https", "h", "/a b", "the path has a character"),
            ("https", "h", "/a#b", "the path has a character"),
            ("https", "h", "/é", "the path has a character"),
            ("https", "h", "/!~", nil), ("https", "a b", "/", "the authority has a character"),
            ("https", "u@h", "/", "the authority has a character"),
            ("https", "h/", "/", "the authority has a character"),
            ("https", "h?", "/", "the authority has a character"),
            ("https", "h#", "/", "the authority has a character"),
            ("https", "h\\", "/", "the authority has a character"),
            ("https", "é", "/", "the authority has a character"), ("https", "h:65536", "/", "the port is not a number"),
            ("https", "h:99999", "/", "the port"), ("https", "h:65535", "/", nil), ("https", "h:x", "/", "the port"),
            ("https", ":80", "/", "the host is empty"), ("https", "h:100000", "/", "the port"),
            ("https", "h%00", "/", "the host"),
            ("https", "[::g]", "/", "the host is not"), ("https", "h:+1", "/", "the port"), ("https", "h!", "/", nil),
            ("https", "h~", "/", nil),
        ] as [(String?, String?, String?, String?)])
    func onlyAWellFormedURLIsSent(scheme: String?, authority: String?, path: String?, problem: String?) {
        let head = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path)
        guard let problem else {
            #expect(throws: Never.self) { try TransportRequest(head: head).validate() }
            return
        }
        let error = #expect(throws: NetworkClientError.self) { try TransportRequest(head: head).validate() }
        #expect(error?.code == .malformedURL)
        #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
    }

    @Test func aBodyFitsItsMethodAndItsLength() throws {
        func code(_ method: HTTPMethod, _ body: RequestBody) throws -> NetworkClientError.Code? {
            do { try TransportRequest(method: method, url: "https://h/", body: body).validate() } catch {
                return (error as? NetworkClientError)?.code
            }
            return nil
        }
        #expect(try code(.trace, .data(Data("x".utf8))) == .invalidRequest)
        #expect(try code(.trace, .data(Data())) == .invalidRequest)
        #expect(try code(.trace, .empty) == nil)
        #expect(try code(.post, .data(Data("x".utf8))) == nil)
        for (length, expected) in [(-1, .uploadFailed), (0, nil), (1, nil)] as [(Int64, NetworkClientError.Code?)] {
            let body = RequestBody.stream(length: length, isReplayable: true) { throw CancellationError() }
            #expect(try code(.post, body) == expected)
        }
    }

    @Test func isMadeOfAURLWithItsCredentials() throws {
        let url = try #require(URL(string: "https://ada:pw@H.example:443/a%20b?q#f"))
        let request = try TransportRequest(method: .put, url: url, headerFields: [.accept: "a/b"])
        #expect(request.url == "https://h.example/a%20b?q")
        #expect(request.head.method == .put && request.head.headerFields[.accept] == "a/b")
        #expect(request.head.headerFields[.authorization] == "Basic YWRhOnB3")
        let own = try TransportRequest(url: url, headerFields: [.authorization: "Bearer t"])
        #expect(own.head.headerFields[values: .authorization] == ["Bearer t"])
        #expect(throws: NetworkClientError.self) { try TransportRequest(url: try #require(URL(string: "ftp://h/"))) }
    }

    @Test func isDescribedWithoutItsSecrets() throws {
        var request = try TransportRequest(method: .post, url: "https://u:p@h/a?q", headerFields: [.accept: "s3cret"])
        #expect("\(request)" == "POST https://h/a")
        request.body = .data(Data("12".utf8))
        #expect("\(request)" == "POST https://h/a (2 bytes)")
        request.body = .stream(isReplayable: true) { throw CancellationError() }
        #expect("\(request)" == "POST https://h/a (a stream)")
        #expect(request.isAtHome && request.origin == Origin(scheme: "https", host: "h"))
    }

    /// The smaller of the two limits counts.
    @Test(
        arguments: [
            (nil, nil, nil, nil), (5, nil, 5, .attempt), (nil, 7, 7, .deadline), (5, 7, 5, .attempt),
            (7, 5, 5, .deadline), (5, 5, 5, .attempt),
        ] as [(Int?, Int?, Int?, Timeouts.Kind?)])
    func theTimeForAnExchangeIsLimited(attempt: Int?, deadline: Int?, limit: Int?, kind: Timeouts.Kind?) async throws {
        let transport = ScriptedTransport()
        let seen = Mutex<(Duration, Timeouts.Kind)?>(nil)
        let layer = Around { request, next in
            seen.withLock { $0 = request.timeLimit.map { ($0.duration, $0.kind) } }
            return try await next(request)
        }
        var request = try TransportRequest(url: "https://h/")
        request.options.timeouts.attempt = attempt.map { .seconds($0) }
        request.options.timeouts.deadline = deadline.map { .seconds($0) }
        _ = try await makeClient(transport, middleware: [layer]).execute(request)
        let (duration, which) = seen.withLock { ($0?.0, $0?.1) }
        #expect(duration == limit.map { .seconds($0) } && which == kind)
        #expect((request.timeLimit?.kind == .attempt) == (attempt != nil))
    }
}
