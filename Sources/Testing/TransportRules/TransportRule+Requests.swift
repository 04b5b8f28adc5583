// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    private static let standardMethods: [TransportRule] =
        [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .options].map { method in
            .sends("\(method.rawValue) goes out as it is", source: "RFC 9110 §9.1", .init(method)) { bench, request in
                try bench.expect(request.method, is: method.rawValue, "the method")
                try bench.expect(request.version, is: "HTTP/1.1", "the version")
            }
        }

    private static let otherMethods: [TransportRule] =
        ["PROPFIND", "PURGE", "QUERY", "M-SEARCH", "get", "Foo.Bar!"].compactMap(HTTPRequest.Method.init(rawValue:))
        .map { method in
            .sends(
                "the method \(method.rawValue) goes out as it is", source: "RFC 9110 §9.1", needs: .anyMethod,
                .init(method)
            ) {
                try $0.expect($1.method, is: method.rawValue, "the method")
            }
        }

    static let methods: [TransportRule] = standardMethods + otherMethods

    static let targets: [TransportRule] =
        [
            "/", "/a/b", "/a%2Fb", "/a%20b?x=%2B&y=a+b", "/?", "/?q", "/a;p=1,2", "/%E2%82%AC", "/a/../b/./c",
            "//double//slash",
            "/a?b?c=/d", "/:@!$&'()*+,;=~", "/" + String(repeating: "p", count: 4000),
        ].map { path in
            .sends("the target \(path.prefix(24)) goes out unchanged", source: "RFC 9112 §3.2.1", .init(path: path)) {
                try $0.expect($1.target, is: path, "the target")
            }
        } + [
            .sends("Host names the authority", source: "RFC 9110 §7.2", .init()) { bench, request in
                try bench.expect(request.values(of: "host").count, is: 1, "the number of Host fields")
                try bench.expect(
                    request.values(of: "host")[0].hasPrefix("127.0.0.1:"), "Host is \(request.values(of: "host"))")
            }
        ]

    private static func name(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .accept }

    private static func fields(_ pairs: KeyValuePairs<String, String>) -> HTTPFields {
        HTTPFields(pairs.map { HTTPField(name: name($0.key), value: $0.value) })
    }

    /// Fields that a transport may add by itself.
    private static let own: Set<String> = [
        "host", "content-length", "transfer-encoding", "accept-encoding", "connection",
    ]

    static let requestFields: [TransportRule] = [
        .sends(
            "a field arrives with its value", source: "RFC 9110 §5", .init(fields: fields(["X-Answer": "42"]))
        ) { try $0.expect($1.values(of: "x-answer"), is: ["42"], "the field") },
        .sends(
            "repeated fields stay apart, in order", source: "RFC 9110 §5.2", needs: .exactFields,
            .init(fields: fields(["X-A": "1", "X-B": "2", "X-A": "3"]))
        ) { bench, request in
            let sent = request.fields.filter { $0.name.lowercased().hasPrefix("x-") }.map { "\($0.name)=\($0.value)" }
            try bench.expect(sent, is: ["X-A=1", "X-B=2", "X-A=3"], "the list")
        },
        .sends(
            "names keep their case", source: "RFC 9110 §5.1", needs: .exactFields,
            .init(fields: fields(["x-lower": "1", "X-UPPER": "2", "x-MiXeD": "3"]))
        ) { bench, request in
            let sent = request.fields.map(\.name).filter { $0.lowercased().hasPrefix("x-") }
            try bench.expect(sent, is: ["x-lower", "X-UPPER", "x-MiXeD"], "the list")
        },
        .sends(
            "an empty value is sent", source: "RFC 9110 §5.5", needs: .exactFields,
            .init(fields: fields(["X-Empty": ""]))
        ) { try $0.expect($1.values(of: "x-empty"), is: [""], "the field") },
        .sends(
            "commas, quotes and semicolons pass", source: "RFC 9110 §5.6",
            .init(fields: fields(["X-List": #"a, "b;c", d=e"#]))
        ) { try $0.expect($1.values(of: "x-list"), is: [#"a, "b;c", d=e"#], "the field") },
        .sends(
            "a long value is sent whole", source: "contract",
            .init(fields: fields(["X-Long": String(repeating: "v", count: 6000)]))
        ) { try $0.expect($1.values(of: "x-long").first?.count, is: 6000, "the length") },
        .sends(
            "fifty fields are sent", source: "contract",
            .init(fields: HTTPFields((0..<50).map { HTTPField(name: name("X-\($0)"), value: "\($0)") }))
        ) { bench, request in
            for number in 0..<50 {
                try bench.expect(request.values(of: "x-\(number)"), is: ["\(number)"], "X-\(number)")
            }
        },
        .sends("nothing is added that was not asked for", source: "contract", needs: .exactFields, .init()) {
            bench, request in
            let added = request.fields.map { $0.name.lowercased() }.filter { !own.contains($0) }
            try bench.expect(added, is: [], "what was added")
        },
        .sends("no User-Agent is made up", source: "contract", needs: .exactFields, .init()) {
            try $0.expect($1.values(of: "user-agent"), is: [], "User-Agent")
        },
        .sends(
            "the caller's User-Agent is the only one", source: "RFC 9110 §10.1.5", .init(fields: [.userAgent: "rule/1"])
        ) {
            try $0.expect($1.values(of: "user-agent"), is: ["rule/1"], "User-Agent")
        },
        .sends(
            "the caller's Accept-Encoding is the only one", source: "RFC 9110 §12.5.3",
            .init(fields: [.acceptEncoding: "identity"])
        ) { try $0.expect($1.values(of: "accept-encoding"), is: ["identity"], "Accept-Encoding") },
        .sends(
            "Proxy-Authorization is not sent to a server", source: "RFC 9110 §11.7.2",
            .init(fields: [.proxyAuthorization: "Basic c2VjcmV0"])
        ) { try $0.expect($1.values(of: "proxy-authorization"), is: [], "Proxy-Authorization") },
        .sends(
            "Authorization is sent as given", source: "RFC 9110 §11.6.2",
            .init(fields: [.authorization: "Bearer abc.def"])
        ) {
            try $0.expect($1.values(of: "authorization"), is: ["Bearer abc.def"], "Authorization")
        },
        .sends("Cookie is sent as given", source: "RFC 6265 §4.2", .init(fields: [.cookie: "a=1; b=2"])) {
            try $0.expect($1.values(of: "cookie"), is: ["a=1; b=2"], "Cookie")
        },
        .sends(
            "the caller's Content-Type is the only one", source: "RFC 9110 §8.3",
            .init(.post, fields: [.contentType: "application/x-own"], body: .data(Data("x".utf8)))
        ) { try $0.expect($1.values(of: "content-type"), is: ["application/x-own"], "Content-Type") },
        .sends(
            "a POST without a Content-Type gets none", source: "contract", needs: .exactFields,
            .init(.post, body: .data(Data("a=b".utf8)))
        ) { try $0.expect($1.values(of: "content-type"), is: [], "Content-Type") },
        .sends("a GET carries no framing fields", source: "RFC 9112 §6.3", .init()) { bench, request in
            try bench.expect(
                request.values(of: "content-length") + request.values(of: "transfer-encoding"), is: [], "the framing")
        },
    ]

    private static func pattern(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 8) })
    }

    private static func pieces(_ data: Data, of size: Int) -> @Sendable () -> AsyncStream<Data> {
        {
            AsyncStream { stream in
                var rest = data[...]
                while !rest.isEmpty {
                    stream.yield(Data(rest.prefix(size)))
                    rest = rest.dropFirst(size)
                }
                stream.finish()
            }
        }
    }

    private static let bodiesInMemory: [TransportRule] =
        [0, 1, 1024, 65_536, 1_000_000].map { size in
            .sends(
                "a body of \(size) bytes in memory arrives whole", source: "RFC 9112 §6.2",
                .init(.post, body: .data(pattern(size)))
            ) {
                try $0.expect(Data($1.body) == pattern(size), "\($1.body.count) other bytes arrived")
                try $0.expect($1.values(of: "content-length"), is: ["\(size)"], "Content-Length")
            }
        }

    private static let methodsWithBodies: [TransportRule] =
        [HTTPRequest.Method.put, .patch, .delete].map { method in
            .sends(
                "\(method.rawValue) carries a body", source: "RFC 9110 §9.3",
                .init(method, body: .data(Data("body".utf8)))
            ) {
                try $0.expect(String(decoding: $1.body, as: UTF8.self), is: "body", "the body")
                try $0.expect($1.method, is: method.rawValue, "the method")
            }
        }

    private static let methodsThatMayHaveBodies: [TransportRule] =
        [HTTPRequest.Method.get, .options].map { method in
            .sends(
                "\(method.rawValue) carries a body where the transport says so", source: "RFC 9110 §9.3.1",
                needs: .bodyOnAnyMethod,
                .init(method, body: .data(Data("body".utf8)))
            ) {
                try $0.expect(String(decoding: $1.body, as: UTF8.self), is: "body", "the body")
                try $0.expect($1.method, is: method.rawValue, "the method")
            }
        }

    private static let streamsOfKnownLength: [TransportRule] =
        [1, 1000, 300_000].map { size in
            .sends(
                "a stream of known length (\(size)) is sent with Content-Length", source: "RFC 9112 §6.2",
                needs: .streamingUpload,
                .init(.post, body: .stream(length: Int64(size), make: pieces(pattern(size), of: 7000)))
            ) {
                try $0.expect(Data($1.body) == pattern(size), "\($1.body.count) other bytes arrived")
                try $0.expect($1.values(of: "content-length"), is: ["\(size)"], "Content-Length")
            }
        }

    private static let streamsOfUnknownLength: [TransportRule] =
        [0, 1, 1000, 300_000].map { size in
            .sends(
                "a stream of unknown length (\(size)) is sent chunked, or its length found out",
                source: "RFC 9112 §6.3", needs: .streamingUpload,
                .init(.post, body: .stream(make: pieces(pattern(size), of: 7000)))
            ) {
                try $0.expect(Data($1.body) == pattern(size), "\($1.body.count) other bytes arrived")
                let isChunked = $1.values(of: "transfer-encoding").map { $0.lowercased() } == ["chunked"]
                try $0.expect($1.values(of: "content-length"), is: isChunked ? [] : ["\(size)"], "Content-Length")
            }
        }

    private static let uploadFaults: [TransportRule] =
        [
            .sends("no Expect is sent unasked", source: "RFC 9110 §10.1.1", .init(.post, body: .data(pattern(200_000))))
            {
                try $0.expect($1.values(of: "expect"), is: [], "Expect")
            },
            TransportRule("a stream that is too short fails the call", source: "contract", needs: .streamingUpload) {
                bench in
                let body = RequestBody.stream(length: 100, make: pieces(pattern(10), of: 10))
                let error = try await bench.failure(.init(.post, body: body), script: [.readRequest, .respond()])
                try bench.expect(error.code, is: .uploadFailed, "the code")
            },
            TransportRule("a stream that fails ends the call", source: "contract", needs: .streamingUpload) { bench in
                let body = RequestBody.stream(isReplayable: false) {
                    PiecesSource([Data("x".utf8)], failure: BrokenSource())
                }
                let error = try await bench.failure(.init(.post, body: body), script: [.readRequest, .respond()])
                try bench.expect(error.code, is: .uploadFailed, "the code")
                try bench.expect(error.cause is BrokenSource, "the cause is not the stream's own error")
            },
            TransportRule(
                "a response while the upload goes on is delivered", source: "RFC 9112 §9.5",
                needs: [.streamingUpload, .concurrentUpload]
            ) { bench in
                let script: RawScript = [
                    .readHead, .send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"), .readToEnd,
                ]
                let exchange = try await bench.exchange(.init(.post, body: slowUpload), script: script)
                try bench.expect(exchange.head.status.code, is: 413, "the status")
                try bench.expect(exchange.text, is: "no", "the body")
            },
            TransportRule(
                "a response before the end of the upload ends the call", source: "RFC 9112 §9.5",
                needs: .streamingUpload
            ) {
                bench in
                let body = RequestBody.stream(length: 50_000_000, make: pieces(Data(count: 4_000_000), of: 100_000))
                let script: RawScript = [
                    .readHead, .send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"),
                    .wait(.milliseconds(300)),
                    .close,
                ]
                try await RawServer.withServer(script: script) { server in
                    do {
                        let exchange = try await bench.exchange(.init(.post, body: body), with: server)
                        try bench.expect(exchange.head.status.code, is: 413, "the status")
                    } catch let error as NetworkClientError {
                        // Allowed where the connection breaks under the upload, as long as the call ends and says so.
                        try bench.expect(
                            error.code == .connectionLost || error.code == .uploadFailed, "the code is \(error.code)")
                    }
                }
            },
        ]

    static let requestBodies: [TransportRule] =
        bodiesInMemory + methodsWithBodies + methodsThatMayHaveBodies + streamsOfKnownLength + streamsOfUnknownLength
        + uploadFaults
}

/// What a stream throws of its own.
private struct BrokenSource: Error {}
