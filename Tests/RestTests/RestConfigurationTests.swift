// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataRest
import StrataTesting
import Testing

struct RestConfigurationTests {
    private let transport = ScriptedTransport(.json(#"{"name": "kiwi", "size": 1, "color": "green"}"#))

    private func client(_ baseURL: String? = nil) -> NetworkClient {
        NetworkClient(
            configuration: NetworkConfiguration(baseURL: baseURL.flatMap { URL(string: $0) }, transport: transport))
    }

    /// The URL that a property's request is sent to.
    private func target(of configuration: RestConfiguration, path: String = "fruit") async throws -> String {
        configuration.sendsAnonymously = true
        let fruit = Fruit(name: "apple", size: 2, color: "red")
        let property = Rest<Fruit, Fruit>(wrappedValue: fruit, path: path, configuration: configuration)
        _ = try await property.projectedValue.get().value
        return try #require(transport.requests.last).url
    }

    @Test(arguments: [
        ("https://api.example.com", "https://api.example.com/fruit"),
        ("https://api.example.com/", "https://api.example.com/fruit"),
        ("http://localhost:8080", "http://localhost:8080/fruit"),
        ("https://api.example.com/v1", "https://api.example.com/v1/fruit"),
        ("https://api.example.com/v1/", "https://api.example.com/v1/fruit"),
        ("HTTPS://API.example.com:443/a%2Fb", "https://api.example.com/a%2Fb/fruit"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1/fruit"),
        ("https://bücher.example", "https://xn--bcher-kva.example/fruit"),
    ])
    func sendsBelowTheBaseURL(_ baseURL: String, _ target: String) async throws {
        #expect(try await self.target(of: RestConfiguration(baseURL: baseURL, client: client())) == target)
        let url = try #require(URL(string: baseURL))
        #expect(try await self.target(of: RestConfiguration(baseURL: url, client: client())) == target)
    }

    @Test func isMadeOfSchemeHostAndPort() {
        let configuration = RestConfiguration(scheme: "http", host: "localhost", port: 8080, client: client())
        #expect(configuration.baseURL == "http://localhost:8080")
        configuration.baseURL = "https://api.example.com:8443/v1"
        #expect(configuration.scheme == "https")
        #expect(configuration.host == "api.example.com")
        #expect(configuration.port == 8443)
        configuration.host = "other.example"
        #expect(configuration.baseURL == "https://other.example:8443/v1")
        configuration.baseURL = ""
        #expect(configuration.baseURL.isEmpty)
    }

    @Test func isThatOfTheClientWithoutOneOfItsOwn() async throws {
        let configuration = RestConfiguration(client: client("https://api.example.com/v1"))
        #expect(try await target(of: configuration) == "https://api.example.com/v1/fruit")
        configuration.baseURL = "https://other.example"
        #expect(try await target(of: configuration) == "https://other.example/fruit")
    }

    @Test(arguments: [
        "api.example.com", "ftp://api.example.com", "https://", "https:api.example.com", "not a URL",
        "https://ada:secret@api.example.com", "https://api.example.com?key=k",
    ])
    func sendsNothingToWhatIsNoBaseURL(_ text: String) async throws {
        let configuration = RestConfiguration(baseURL: text, client: client("https://api.example.com"))
        await #expect {
            try await target(of: configuration)
        } throws: {
            if case RestQueryError.urlValidation = $0 { true } else { false }
        }
        #expect(transport.requests.isEmpty)
    }
}
