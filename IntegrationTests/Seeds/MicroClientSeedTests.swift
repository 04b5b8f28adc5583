// SPDX-License-Identifier: Apache-2.0

import Foundation
import SeedSupport
import StrataCore
import StrataCurl
import StrataEncoding
import StrataURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct MicroClientSeedTests {
    private func check(_ seed: MicroClientSeed, over transport: any NetworkTransport) async throws {
        try await EchoTarget.withServer { server in
            let base = try #require(URL(string: server.url + "/anything/api/v3"))
            try await seed.check(transport, base)
            await transport.shutdown()
        }
    }

    /// The configuration as the document has it, over a session and with an interceptor in Foundation's terms.
    @Test func S2_4_aConfigurationOverASession() async throws {
        struct Seen: Decodable {
            var headers: [String: String]
            var url: String
        }
        try await EchoTarget.withServer { server in
            let baseURL = try #require(URL(string: server.url + "/anything/api/v3"))
            var configuration = NetworkConfiguration(
                session: .shared, defaultDecoder: JSONDecoder(), defaultEncoder: JSONEncoder(), baseURL: baseURL)
            configuration.intercept { request in
                var request = request
                request.setValue("yes", forHTTPHeaderField: "X-Intercepted")
                return request
            }
            let client = NetworkClient(configuration: configuration)
            let response = try await client.run(
                NetworkRequest<VoidRequest, Seen>(path: "/posts/bookmarks", method: .get))
            #expect(response.value.headers["X-Intercepted"] == "yes")
            #expect(response.value.url == server.url + "/anything/api/v3/posts/bookmarks")
            let urlResponse = try #require(response.urlResponse as? HTTPURLResponse)
            #expect(urlResponse.statusCode == 200)
            #expect(urlResponse.url?.absoluteString == response.value.url)
            #expect(configuration.session === URLSession.shared)
            await configuration.transport.shutdown()
        }
    }

    @Test(arguments: MicroClientSeed.all) func overURLSession(_ seed: MicroClientSeed) async throws {
        try await check(seed, over: URLSessionTransport())
    }

    @Test(arguments: MicroClientSeed.all) func overCurl(_ seed: MicroClientSeed) async throws {
        try await check(seed, over: CurlTransport())
    }
}
