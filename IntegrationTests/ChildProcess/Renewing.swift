// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAuthentication
import StrataCore
import StrataCurl
import StrataEncoding
import StrataMiddleware

/// Makes calls with a login that is in a file, and which each of them has to renew.
enum Renewing {
    static func run(_ file: String, url: String, count: Int) async throws {
        guard let tokenURL = URL(string: url + "/token") else { ChildProcess.fail("no URL") }
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .none
        let transport = CurlTransport(configuration: configuration)
        // So that the server knows whom it talks to.
        let name = String(getpid())
        let endpoint = OAuthTokenEndpoint(
            url: tokenURL, clientID: name,
            client: NetworkClient(configuration: NetworkConfiguration(transport: transport)))
        let store = CredentialStore(
            storage: FileTokenStore(URL(fileURLWithPath: file)), source: endpoint.refreshToken())
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: url, transport: transport, middleware: [BearerAuthMiddleware(store)]))
        for _ in 0..<count {
            let response = try await client.execute(TransportRequest(url: url + "/resource"))
            guard response.head.status == .ok else { ChildProcess.fail("\(response.head.status)") }
            _ = try await response.body.collect()
        }
        await transport.shutdown()
    }
}
