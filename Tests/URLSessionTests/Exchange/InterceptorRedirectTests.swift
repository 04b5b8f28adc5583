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

struct InterceptorRedirectTests {
    @Test func aFunctionOverURLRequestSetsNoSecretsWhereARedirectLed() async throws {
        let transport = ScriptedTransport(.redirect(to: "https://b.example/2"), .status(200))
        var configuration = NetworkConfiguration(
            baseURL: nil, transport: transport, defaultEncoder: JSONEncoder(), defaultDecoder: JSONDecoder())
        configuration.intercept { request in
            var request = request
            request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
            request.setValue("demo/1", forHTTPHeaderField: "User-Agent")
            return request
        }
        _ = try await NetworkClient(configuration: configuration).execute(TransportRequest(url: "https://a.example/1"))
        #expect(transport.requests.map { $0["Authorization"] } == ["Bearer t", nil])
        #expect(transport.requests.map { $0["User-Agent"] } == ["demo/1", "demo/1"])
    }
}
