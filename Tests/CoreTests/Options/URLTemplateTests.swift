// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

/// What metrics and traces call the path of a request.
struct URLTemplateTests {
    private func template(
        _ path: RequestPath?, base: String = "https://api.example/v1", options: RequestOptions.Override? = nil
    ) async throws -> String? {
        let transport = ScriptedTransport()
        let configuration = NetworkConfiguration(baseURL: URL(string: base), transport: transport)
        let request = NetworkRequest<VoidRequest, VoidResponse>(path: path, method: .get, options: options)
        _ = try await NetworkClient(configuration: configuration).run(request)
        return transport.requests.last?.options.urlTemplate
    }

    @Test func valuesArePlacesInTheTemplate() async throws {
        let (id, name) = (7, "a/b")
        #expect(try await template("users/\(id)/posts/\(name)") == "/v1/users/{}/posts/{}")
        #expect(try await template("/users/\(id)?token=\(name)#x") == "/v1/users/{}")
        #expect(try await template("users/\(raw: "7")") == "/v1/users/{}")
        #expect(try await template("https://other.example/a/\(id)") == "/a/{}")
    }

    @Test func aLiteralIsItsOwnTemplate() async throws {
        #expect(try await template("health?verbose=1") == "/v1/health")
        #expect(try await template("?q=1") == "/v1")
        #expect(try await template("a", base: "https://api.example") == "/a")
    }

    @Test func textThatIsMadeElsewhereHasNone() async throws {
        #expect(try await template(RequestPath(raw: "users/7")) == nil)
        #expect(try await template(nil) == nil)
    }

    @Test func theVariablesOfAURITemplateAreNamed() async throws {
        let uri = try URITemplate("/repos/{owner}/issues{?state,labels*}")
        #expect(try await template(uri.path(strict: ["owner": "me", "state": "open"])) == "/v1/repos/{owner}/issues")
    }

    @Test func theCallersOwnWins() async throws {
        #expect(try await template("users/7", options: { $0.urlTemplate = "/people/{id}" }) == "/people/{id}")
    }

    @Test func theTargetOfARedirectHasNone() async throws {
        let transport = ScriptedTransport(.redirect(to: "/elsewhere/7"), .status(200))
        let configuration = NetworkConfiguration(baseURL: URL(string: "https://api.example"), transport: transport)
        _ = try await NetworkClient(configuration: configuration).run(
            NetworkRequest<VoidRequest, VoidResponse>(path: "start", method: .get))
        #expect(transport.requests.map(\.options.urlTemplate) == ["/start", nil])
    }
}
