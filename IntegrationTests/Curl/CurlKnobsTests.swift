// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

@testable import StrataCurl

/// DNS over HTTPS, a client's identity from memory, the key log, the age of connections, `Alt-Svc` and HTTP/3.
struct CurlKnobsTests {
    private func withSecureServer(
        _ tls: EchoServer.TLS = .init(), http2: Bool = false,
        _ body: (_ url: String, _ authority: TestCertificateAuthority) async throws -> Void
    ) async throws {
        try await EchoServer.withServer(.init(tls: tls, http2: http2)) { server in
            try await body("https://localhost:\(server.port)", try #require(server.certificateAuthority))
        }
    }

    // MARK: A client's identity

    @Test(arguments: [true, false]) func aClientShowsAnIdentityFromMemory(_ isKeyFirst: Bool) async throws {
        try await withSecureServer(.init(requiresClientCertificate: true)) { url, authority in
            let client = try authority.issueClient()
            let parts = [client.certificatePEM, client.privateKeyPEM]
            let pem = Data((isKeyFirst ? parts.reversed() : parts).joined(separator: "\n").utf8)
            try await withCurl({
                $0.tls.trust = .pem(Data(authority.certificatePEM.utf8))
                $0.tls.clientIdentity = pem
            }) { transport in
                expectEqual(try await transport.send(.get, url + "/get").head.status, .ok)
                var dumped = ""
                dump(transport, to: &dumped)
                #expect(!dumped.contains("PRIVATE") && !dumped.contains(pem.base64EncodedString()))
            }
        }
    }

    @Test(arguments: ["oops", ""]) func anIdentityThatIsNoneIsAnErrorOfTLS(_ text: String) async throws {
        try await withSecureServer { url, authority in
            try await withCurl({
                $0.tls.trust = .pem(Data(authority.certificatePEM.utf8))
                $0.tls.clientIdentity = Data(text.utf8)
            }) { transport in
                _ = await #expect { try await transport.send(.get, url + "/get") } throws: { $0.stage == .tlsFailed }
            }
        }
    }

    // MARK: The key log

    @Test func theSecretsOfConnectionsAreWrittenWhereItIsAskedFor() async throws {
        let folder = try TemporaryFolder()
        let file = folder["keys"]
        try Data().write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        try await withSecureServer { url, authority in
            for configured in [false, true] {
                try await withCurl({
                    $0.tls.trust = .pem(Data(authority.certificatePEM.utf8))
                    if configured { $0.tlsKeyLogFile = file.path }
                }) { transport in
                    expectEqual(try await transport.send(.get, url + "/get").head.status, .ok)
                    #expect(transport.capabilities.remarks.contains { $0.contains("secrets") } == configured)
                }
                let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                #expect(lines.isEmpty == !configured)
                #expect(lines.allSatisfy { $0.split(separator: " ").count == 3 })
            }
        }
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("CLIENT_TRAFFIC_SECRET_0 ") || text.contains("CLIENT_RANDOM "))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func aKeyLogThatCannotBeWrittenIsAnError() async throws {
        try await withCurl({ $0.tlsKeyLogFile = "/does/not/exist" }) { transport in
            await #expect { try await transport.send(.get, "http://127.0.0.1:1/") } throws: { $0.stage == .fileFailed }
        }
    }

    // MARK: Names

    /// An answer that names 127.0.0.1, to whatever is asked (RFC 1035 §4.1).
    private static let answer: [UInt8] =
        [0, 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0] + [7] + Array("strange".utf8) + [4] + Array("test".utf8)
        + [0, 0, 1, 0, 1] + [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]

    /// Each request makes a connection of its own, and has to know the address.
    @Test(arguments: [(Duration.seconds(60), 1...2), (nil, 1...2), (.zero, 3...6)])
    func namesAreLookedUpOverHTTPSOnceInTheirTime(_ time: Duration?, _ expected: ClosedRange<Int>) async throws {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: application/dns-message\r\nContent-Length: \(Self.answer.count)\r\n\r\n"
        let resolver = try RawServer.start(script: .forever(.readRequest, .send(Array(head.utf8) + Self.answer)))
        defer { resolver.stop() }
        let server = try RawServer.start(
            script: [.readRequest, .respond(fields: ["Connection: close"], body: "ok"), .close])
        defer { server.stop() }
        try await TLSFront.withServer(["http/1.1": resolver.port]) { front in
            try await withCurl({
                $0.tls.trust = .pem(Data(front.authority.certificatePEM.utf8))
                $0.dnsOverHTTPS = URL(string: front.url + "/dns-query")
                $0.dnsCacheTime = time
            }) { transport in
                for _ in 0..<3 {
                    expectEqual(try await transport.text(.get, "http://strange.test:\(server.port)/"), "ok")
                }
            }
        }
        let questions = resolver.log.requests
        #expect(questions.allSatisfy { $0.method == "POST" && $0.target == "/dns-query" })
        #expect(expected.contains(questions.count), "\(questions.count): one for each family")
        #expect(server.log.requests.count == 3)
    }

    @Test func aResolverThatIsNotThereIsAnErrorOfNames() async throws {
        try await withCurl({ $0.dnsOverHTTPS = URL(string: "https://127.0.0.1:1/") }) { transport in
            await #expect { try await transport.send(.get, "http://strange.test/") } throws: { $0.stage == .dnsFailed }
        }
        try await withCurl({ $0.dnsOverHTTPS = URL(string: "http://127.0.0.1:1/") }) { transport in
            await #expect { try await transport.send(.get, "http://strange.test/") } throws: {
                $0.stage == .malformedURL
            }
        }
    }

    // MARK: Connections

    @Test(arguments: [nil, Duration.seconds(1)]) func aConnectionIsNotUsedBeyondItsAge(_ age: Duration?) async throws {
        let server = try RawServer.start(script: .forever(.readRequest, .respond(body: "ok")))
        defer { server.stop() }
        try await withCurl({ $0.maximumConnectionAge = age }) { transport in
            expectEqual(try await transport.text(.get, server.url), "ok")
            // Whole seconds are counted.
            try await Task.sleep(for: .milliseconds(2100))
            expectEqual(try await transport.text(.get, server.url), "ok")
            #expect(server.log.connectionCount == (age == nil ? 1 : 2))
        }
    }

    /// By the name that libcurl before 8 has for HTTP/1.1.
    @Test func anAlternativeServiceIsUsedWhereItIsAskedFor() async throws {
        try #require(CurlVersion.current.hasAlternativeServices)
        let folder = try TemporaryFolder()
        let other = try RawServer.start(script: .forever(.readRequest, .respond(body: "other")))
        defer { other.stop() }
        try await TLSFront.withServer(["http/1.1": other.port]) { alternative in
            let port = try #require(alternative.url.split(separator: ":").last)
            let server = try RawServer.start(
                script: .forever(
                    .readRequest, .respond(fields: ["Alt-Svc: h1=\":\(port)\"; ma=60"], body: "first")))
            defer { server.stop() }
            try await TLSFront.withServer(["http/1.1": server.port]) { front in
                // Each front has an authority of its own.
                let pem = Data((front.authority.certificatePEM + "\n" + alternative.authority.certificatePEM).utf8)
                for isAskedFor in [false, true] {
                    try await withCurl({
                        $0.tls.trust = .pem(pem)
                        if isAskedFor { $0.alternativeServicesFile = folder["alt-svc"].path }
                    }) { transport in
                        expectEqual(try await transport.text(.get, front.url), "first")
                        expectEqual(try await transport.text(.get, front.url), isAskedFor ? "other" : "first")
                    }
                }
            }
        }
    }

    // MARK: HTTP/3

    @Test func http3IsRefusedWhereLibcurlHasNone() async throws {
        try await withCurl { transport in
            let has = transport.capabilities.features.contains(.http3)
            #expect(has == CurlVersion.current.hasHTTP3)
            let client = NetworkClient(configuration: NetworkConfiguration(transport: transport))
            for scheme in has ? ["http"] : ["http", "https"] {
                let request = NetworkRequest<VoidRequest, VoidResponse>(path: "\(scheme)://127.0.0.1:1/", method: .get)
                {
                    $0.httpVersion = .http3
                }
                let error = await #expect(throws: NetworkClientError.self) { try await client.run(request) }
                #expect(error?.code == .unsupportedByTransport)
                #expect(error?.message.contains("HTTP/3") == true)
            }
        }
    }

    /// Against a server that `scripts/new-curl` starts.
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["STRATA_HTTP3_URL"] != nil, "STRATA_HTTP3_URL names no server")
    )
    func speaksHTTP3() async throws {
        let environment = ProcessInfo.processInfo.environment
        let url = try #require(environment["STRATA_HTTP3_URL"])
        let authority = try #require(environment["STRATA_HTTP3_CA"])
        try await withCurl({ $0.tls.trust = .file(authority) }) { transport in
            #expect(transport.capabilities.features.contains(.http3))
            for number in 0..<3 {
                let response = try await transport.send(
                    TransportRequest(method: .get, url: "\(url)/\(number)", options: Self.http3))
                #expect(response.head.status == .ok)
                #expect(try await response.body.collect().isEmpty == false)
                #expect(response.metrics?.httpVersion == "HTTP/3")
                #expect(response.metrics?.isConnectionReused == (number > 0))
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let response = try await transport.send(
                            TransportRequest(
                                method: .post, url: "\(url)/echo/\(number)",
                                body: .data(Data(repeating: UInt8(number), count: 100_000)), options: Self.http3))
                        return try await response.body.collect().count
                    }
                }
                for try await count in group { #expect(count == 100_000) }
            }
        }
    }

    private static var http3: RequestOptions {
        var options = RequestOptions()
        options.httpVersion = .http3
        return options
    }
}
