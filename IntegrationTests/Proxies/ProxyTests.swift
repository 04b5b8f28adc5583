// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import StrataTransportSupport
import TestSupport
import Testing

/// What goes through a proxy, and what it is told.
struct ProxyTests {
    /// Versions of libcurl before 8.8.0 decode them, once for each connection of a request.
    @Test(arguments: OwnTransport.allCases, ["p%41", "100%", "p%2541", "ü:@/"])
    func sendsAProxyItsCredentialsAsTheyAre(_ own: OwnTransport, _ password: String) async throws {
        let proxy = try RawServer.start(scripts: [
            [.readRequest, .respond(body: "one"), .readRequest, .close], [.readRequest, .respond(body: "two")],
        ])
        defer { proxy.stop() }
        try await own.with({ $0.proxy = .url(proxy.url, user: "a%62", password: password) }) { transport in
            expectEqual(try await transport.text(.get, "http://origin.example/"), "one")
            expectEqual(try await transport.text(.get, "http://origin.example/"), "two")
        }
        let credentials = Data("a%62:\(password)".utf8).base64EncodedString()
        #expect(
            proxy.log.requests.map { $0.values(of: "proxy-authorization") }
                == Array(repeating: ["Basic \(credentials)"], count: 3))
    }

    @Test(arguments: OwnTransport.allCases) func asksAProxyInAbsoluteForm(_ own: OwnTransport) async throws {
        try await RawServer.withServer(script: [.readRequest, .respond(body: "proxied")]) { proxy in
            try await own.with({ $0.proxy = .url(proxy.url, user: "aladdin", password: "opensesame") }) { transport in
                expectEqual(try await transport.text(.get, "http://origin.example/p?q=1"), "proxied")
            }
            let request = try #require(proxy.log.requests.first)
            #expect(request.target == "http://origin.example/p?q=1")
            #expect(request.values(of: "host") == ["origin.example"])
            #expect(request.values(of: "proxy-authorization") == ["Basic YWxhZGRpbjpvcGVuc2VzYW1l"])
            #expect(Set(request.fields.map(\.name)) == ["Host", "Proxy-Authorization", "Accept-Encoding"])
        }
    }

    @Test(arguments: OwnTransport.allCases, ["/?", "/a?", "/a?q=?"])
    func asksAProxyForTheQueryAsItIs(_ own: OwnTransport, _ target: String) async throws {
        try await RawServer.withServer(script: .forever(.readRequest, .respond(body: "proxied"))) { proxy in
            try await own.with({ $0.proxy = .url(proxy.url) }) { transport in
                for target in [target, "/b"] {
                    expectEqual(try await transport.text(.get, "http://origin.example\(target)"), "proxied")
                }
            }
            #expect(proxy.log.requests.map(\.target) == [target, "/b"].map { "http://origin.example\($0)" })
        }
    }

    @Test(arguments: OwnTransport.allCases) func reachesExceptionsDirectly(_ own: OwnTransport) async throws {
        let proxy = try RawServer.refusing()
        try await RawServer.withServer(script: [.readRequest, .respond(body: "direct")]) { server in
            try await own.with({ $0.proxy = .url(proxy.url, except: ["127.0.0.1"]) }) { transport in
                expectEqual(try await transport.text(.get, server.url), "direct")
            }
        }
    }

    /// libcurl reads it to its end, however long that takes.
    @Test(
        arguments: OwnTransport.allCases,
        [
            "407 P\r\nContent-Length: 500\r\n\r\nstart", "407 P\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nst",
            "502 P\r\nContent-Length: 1\r\n\r\n", "302 P\r\nLocation: /\r\n\r\nuntil the end",
        ])
    func theBodyOfARefusedTunnelIsNotWaitedFor(_ own: OwnTransport, _ refusal: String) async throws {
        try await RawServer.withServer(script: [.readHead, .send("HTTP/1.1 \(refusal)"), .readUntilClosed]) { proxy in
            try await own.with({ $0.proxy = .url(proxy.url) }) { transport in
                await #expect {
                    try await transport.send(.get, "https://origin.example/") {
                        $0.timeouts.connect = .seconds(600)
                        $0.timeouts.idle = nil
                    }
                } throws: {
                    $0.stage == .proxyFailed
                }
            }
            #expect(proxy.log.requests.map(\.method) == ["CONNECT"])
        }
    }

    @Test(arguments: OwnTransport.allCases)
    func tunnelsThroughAProxyWithoutTheRequestsFields(_ own: OwnTransport) async throws {
        try await RawServer.withServer(script: [.readHead, .respond(407, fields: ["Connection: close"]), .close]) {
            proxy in
            try await own.with({ $0.proxy = .url(proxy.url) }) { transport in
                let fields: HTTPFields = [
                    .authorization: "Bearer secret", .proxyAuthorization: "Basic c2VjcmV0", .cookie: "a=secret",
                ]
                await #expect { try await transport.text(.get, "https://origin.example/", fields) } throws: {
                    $0.stage == .proxyFailed
                }
            }
            let request = try #require(proxy.log.requests.first)
            #expect(request.method == "CONNECT")
            #expect(request.target == "origin.example:443")
            #expect(request.fields.map(\.name) == ["Host"])
        }
    }

    /// Where a proxy reads it, and nowhere else.
    @Test(arguments: OwnTransport.allCases)
    func aCallersOwnCredentialsReachTheProxyAlone(_ own: OwnTransport) async throws {
        try await RawServer.withServer(script: .forever(.readRequest, .respond(body: "ok"))) { server in
            let fields: HTTPFields = [.proxyAuthorization: "Basic b3duOm93bg=="]
            try await own.with({ $0.proxy = .url(server.url) }) { transport in
                expectEqual(try await transport.text(.get, "http://origin.example/own", fields), "ok")
            }
            try await own.with({ $0.proxy = .url(server.url, user: "aladdin", password: "open") }) { transport in
                expectEqual(try await transport.text(.get, "http://origin.example/configured", fields), "ok")
            }
            try await own.with { transport in
                expectEqual(try await transport.text(.get, "\(server.url)/direct", fields), "ok")
            }
            #expect(
                server.log.requests.map { $0.values(of: "proxy-authorization") } == [
                    ["Basic b3duOm93bg=="], ["Basic YWxhZGRpbjpvcGVu"], [],
                ])
        }
    }

    /// The answer of a proxy that is asked for a URL is the answer.
    @Test(arguments: OwnTransport.allCases, [403, 407, 502, 504])
    func handsOnWhatAProxyAnswers(_ own: OwnTransport, _ status: Int) async throws {
        try await RawServer.withServer(script: [.readRequest, .respond(status, body: "no")]) { proxy in
            try await own.with({ $0.proxy = .url(proxy.url, user: "aladdin", password: "open") }) { transport in
                let response = try await transport.send(.get, "http://origin.example/")
                #expect(response.head.status.code == status)
                expectEqual(try await response.body.collect(), Data("no".utf8))
            }
            #expect(proxy.log.requests.count == 1)
        }
    }

    @Test(arguments: OwnTransport.allCases, [403, 502, 504])
    func noTunnelIsAFailureOfTheProxy(_ own: OwnTransport, _ status: Int) async throws {
        try await RawServer.withServer(script: [.readHead, .respond(status, body: "no"), .readUntilClosed]) { proxy in
            let error = try await own.failure(of: "https://origin.example/") { $0.proxy = .url(proxy.url) }
            #expect(error.code == .proxyFailed)
            #expect(error.response == nil)
            #expect(!error.isUnprocessed)
        }
    }

    @Test(arguments: OwnTransport.allCases)
    func aProxyThatHangsUpIsAFailureOfTheProxy(_ own: OwnTransport) async throws {
        for script in [[.readHead, .close], [.readHead, .send("HTTP/1.1 200"), .close]] as [RawScript] {
            try await RawServer.withServer(script: script) { proxy in
                let error = try await own.failure(of: "https://origin.example/") { $0.proxy = .url(proxy.url) }
                #expect(error.code == .proxyFailed, "\(error)")
            }
        }
        // Whatever it offers.
        try await RawServer.withServer(script: [.readBytes(3), .close]) { proxy in
            for scheme in ["http", "https"] {
                let error = try await own.failure(of: "\(scheme)://origin.example/") {
                    $0.proxy = .url(proxy.url.replacing("http:", with: "socks5h:"))
                }
                #expect(error.code == .proxyFailed, "\(error)")
            }
        }
    }
}
