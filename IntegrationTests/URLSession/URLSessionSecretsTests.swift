// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataTesting
import StrataURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a session's additional headers say, and to whom; and what a transport shows of its session.
struct URLSessionSecretsTests {
    @Test func showsNoPasswordOfAProxy() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = ["HTTPProxyPassword": "hunter2"]
        configuration.httpAdditionalHeaders = ["Authorization": "Bearer opensesame"]
        let session = URLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }
        for transport in [URLSessionTransport(session: session), URLSessionTransport(configuration: configuration)] {
            var dumped = "\(transport) \(String(reflecting: transport))"
            dump(transport, to: &dumped)
            dump(["transport": transport as any NetworkTransport], to: &dumped)
            #expect(dumped.contains("URLSession"))
            for secret in ["hunter2", "opensesame"] { #expect(!dumped.contains(secret)) }
        }
    }

    @Test func areNotToldWhereARedirectLeads() async throws {
        let elsewhere = try RawServer.start(script: [.readRequest, .respond(body: "ok")])
        let home = try RawServer.start(
            script: [.readRequest, .respond(302, fields: ["Location: \(elsewhere.url)/next"]), .hang])
        defer {
            home.stop()
            elsewhere.stop()
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Authorization": "Bearer secret", "X-App": "demo"]
        let session = URLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }
        try await URLSessionTransport(session: session).thenShutDown { transport in
            let client = NetworkClient(
                configuration: NetworkConfiguration(baseURL: URL(string: home.url), transport: transport))
            let text = try await client.run(NetworkRequest<VoidRequest, String>(path: "start", method: .get)).value
            #expect(text == "ok")
        }
        let (first, second) = (try #require(home.log.requests.first), try #require(elsewhere.log.requests.first))
        #expect(first.values(of: "authorization") == ["Bearer secret"])
        #expect(second.values(of: "authorization") == [])
        #expect([first, second].map { $0.values(of: "x-app") } == [["demo"], ["demo"]])
    }
}
