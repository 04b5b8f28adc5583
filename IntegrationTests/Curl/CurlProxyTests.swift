// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataTesting
import TestSupport
import Testing

/// What goes through a proxy, and what it is told.
struct CurlProxyTests {
    /// Versions before 8.8.0 decode them, once for each connection of a request.
    @Test(arguments: ["p%41", "100%", "p%2541", "ü:@/"])
    func sendsAProxyItsCredentialsAsTheyAre(_ password: String) async throws {
        let proxy = try RawServer.start(scripts: [
            [.readRequest, .respond(body: "one"), .readRequest, .close], [.readRequest, .respond(body: "two")],
        ])
        defer { proxy.stop() }
        try await withCurl({ $0.proxy = .url(proxy.url, user: "a%62", password: password) }) { transport in
            expectEqual(try await transport.text(.get, "http://origin.example/"), "one")
            expectEqual(try await transport.text(.get, "http://origin.example/"), "two")
        }
        let credentials = Data("a%62:\(password)".utf8).base64EncodedString()
        #expect(
            proxy.log.requests.map { $0.values(of: "proxy-authorization") }
                == Array(repeating: ["Basic \(credentials)"], count: 3))
    }

    @Test func asksAProxyInAbsoluteForm() async throws {
        try await RawServer.withServer(script: [.readRequest, .respond(body: "proxied")]) { proxy in
            try await withCurl({ $0.proxy = .url(proxy.url, user: "aladdin", password: "opensesame") }) { transport in
                expectEqual(try await transport.text(.get, "http://origin.example/p?q=1"), "proxied")
            }
            let request = try #require(proxy.log.requests.first)
            #expect(request.target == "http://origin.example/p?q=1")
            #expect(request.values(of: "host") == ["origin.example"])
            #expect(request.values(of: "proxy-authorization") == ["Basic YWxhZGRpbjpvcGVuc2VzYW1l"])
            #expect(Set(request.fields.map(\.name)) == ["Host", "Proxy-Authorization", "Accept-Encoding"])
        }
    }

    @Test(arguments: ["/?", "/a?", "/a?q=?"])
    func asksAProxyForTheQueryAsItIs(_ target: String) async throws {
        try await RawServer.withServer(script: .forever(.readRequest, .respond(body: "proxied"))) { proxy in
            try await withCurl({ $0.proxy = .url(proxy.url) }) { transport in
                for target in [target, "/b"] {
                    expectEqual(try await transport.text(.get, "http://origin.example\(target)"), "proxied")
                }
            }
            #expect(proxy.log.requests.map(\.target) == [target, "/b"].map { "http://origin.example\($0)" })
        }
    }

    @Test func reachesExceptionsDirectly() async throws {
        let proxy = try RawServer.refusing()
        try await RawServer.withServer(script: [.readRequest, .respond(body: "direct")]) { server in
            try await withCurl({ $0.proxy = .url(proxy.url, except: ["127.0.0.1"]) }) { transport in
                expectEqual(try await transport.text(.get, server.url), "direct")
            }
        }
    }

    @Test func tunnelsThroughAProxyWithoutTheRequestsFields() async throws {
        try await RawServer.withServer(script: [.readHead, .respond(407, fields: ["Connection: close"]), .close]) {
            proxy in
            try await withCurl({ $0.proxy = .url(proxy.url) }) { transport in
                await #expect {
                    try await transport.text(.get, "https://origin.example/", [.authorization: "Bearer secret"])
                } throws: {
                    $0.stage == .proxyFailed
                }
            }
            let request = try #require(proxy.log.requests.first)
            #expect(request.method == "CONNECT")
            #expect(request.target == "origin.example:443")
            #expect(request.values(of: "authorization") == [])
            #expect(request.values(of: "proxy-connection") == [])
        }
    }
}
