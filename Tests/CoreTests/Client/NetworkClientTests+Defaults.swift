// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import TestSupport
import Testing

extension NetworkClientTests {
    @Test func fillsInDefaultFieldsWithoutReplacing() async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport) {
            $0.defaultFields = [.userAgent: "strata", .accept: "text/html", .via: "a", .via: "b"]
        }
        _ = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get, additionalHeaders: ["User-Agent": "mine"]))
        #expect(transport.requests[0]["user-agent"] == "mine")
        #expect(transport.requests[0]["accept"] == "text/html")
        #expect(transport.requests[0].head.headerFields[values: .via] == ["a", "b"])
    }

    @Test(arguments: ["https://other.example/x", "http://hostname.com/x", "https://hostname.com:8443/x"])
    func givesSecretDefaultsToItsOwnServerAlone(elsewhere: String) async throws {
        let transport = ScriptedTransport(.status(200))
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        let client = makeClient(transport) {
            $0.defaultFields = [.authorization: "Bearer t", tenant: "t", .userAgent: "strata"]
            $0.options.sensitiveFields = [tenant]
        }
        for path in ["x", "https://HOSTNAME.com:443/x", elsewhere] {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(path: path, method: .get))
        }
        _ = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get, baseURL: URL(string: elsewhere)))
        for path in ["x", elsewhere] {
            _ = try await client.run(
                NetworkRequest<VoidRequest, VoidResponse>(path: path, method: .get) {
                    $0.sensitiveFields = [.userAgent]
                })
        }
        let tokens = ["Bearer t", "Bearer t", nil, nil, "Bearer t", nil]
        #expect(transport.requests.map { $0["authorization"] } == tokens)
        #expect(transport.requests.map { $0["x-tenant"] } == ["t", "t", nil, nil, "t", nil])
        let agents = ["strata", "strata", "strata", "strata", "strata", nil]
        #expect(transport.requests.map { $0["user-agent"] } == agents)
    }

    @Test func whatTheClientMarksStaysASecretWhenTheRequestMarksMore() async throws {
        let transport = ScriptedTransport(.redirect(to: "https://b.example/2"), .status(200))
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        let client = makeClient(transport) {
            $0.defaultFields = [tenant: "t"]
            $0.options.sensitiveFields = [tenant]
            $0.options.sensitiveQueryItems = ["tenant"]
        }
        _ = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(
                path: "x", method: .get, queryItems: [URLQueryItem(name: "tenant", value: "t")]
            ) {
                $0.sensitiveFields = [.userAgent]
                $0.sensitiveQueryItems = ["other"]
            })
        #expect(transport.requests.map { $0["x-tenant"] } == ["t", nil])
        let marks = transport.requests.map(\.options).map { ($0.sensitiveFields, $0.sensitiveQueryItems) }
        #expect(marks.allSatisfy { $0 == ([tenant, .userAgent], ["tenant", "other"]) })
    }

    @Test func givesNoSecretDefaultsToARequestThatMustHaveNoCredentials() async throws {
        let transport = ScriptedTransport(.status(200))
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        let client = makeClient(transport) {
            $0.defaultFields = [.authorization: "Bearer t", tenant: "t", .userAgent: "strata"]
            $0.options.sensitiveFields = [tenant]
        }
        _ = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(path: "login", method: .post) {
                $0.isAuthenticationExempt = true
            })
        #expect(transport.requests[0].head.headerFields.map(\.name) == [.userAgent])
    }

    /// RFC 9110 §9.3.8: the answer is the request.
    @Test func addsNoSecretsToATrace() async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport, baseURL: "https://ada:s3cret@hostname.com/") {
            $0.defaultFields = [.authorization: "Bearer t", .userAgent: "strata"]
        }
        _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .trace))
        #expect(transport.requests[0].head.headerFields.map(\.name) == [.userAgent])
    }

    @Test func givesNoCredentialsOfTheBaseURLToARequestThatMustHaveNone() async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport, baseURL: "https://ada:s3cret@hostname.com/")
        for path in ["login", "https://ada:s3cret@hostname.com/login", "https://eve:pw@hostname.com/login"] {
            _ = try await client.run(
                NetworkRequest<VoidRequest, VoidResponse>(path: path, method: .post) {
                    $0.isAuthenticationExempt = true
                })
        }
        _ = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(
                path: "login", method: .post, baseURL: URL(string: "https://eve:pw@hostname.com/")
            ) {
                $0.isAuthenticationExempt = true
            })
        let own = "Basic " + Data("eve:pw".utf8).base64EncodedString()
        #expect(transport.requests.map { $0["authorization"] } == [nil, nil, own, own])
    }

    @Test(arguments: ["hostname.com/v1", "/v1", "ftp://hostname.com/"])
    func nobodyIsAtHomeAtAMalformedBaseURL(base: String) async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport, baseURL: base) {
            $0.defaultFields = [.authorization: "Bearer t", .userAgent: "strata"]
        }
        let isAtHome = Mutex<Bool?>(nil)
        let layer = Around { request, next in
            isAtHome.withLock { $0 = request.isAtHome }
            return try await next(request)
        }
        _ = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(
                method: .get, baseURL: URL(string: "https://other.example"), middleware: [layer]))
        #expect(transport.requests[0].head.headerFields.map(\.name) == [.userAgent])
        #expect(isAtHome.withLock { $0 } == false)
    }

    @Test func givesHostAndOriginToItsOwnServerAlone() async throws {
        let transport = ScriptedTransport(.status(200))
        let host = try #require(HTTPField.Name("Host"))
        let client = makeClient(transport) {
            $0.defaultFields = [host: "internal.example", .origin: "https://app.example"]
        }
        for path in ["x", "https://other.example/x"] {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(path: path, method: .get))
        }
        #expect(transport.requests.map { $0["host"] } == ["internal.example", nil])
        #expect(transport.requests.map { $0["origin"] } == ["https://app.example", nil])
    }

    @Test func anExecutedRequestHasItsOwnOptionsAndFieldsAlone() async throws {
        let transport = ScriptedTransport(.redirect(to: "/b"), .status(200))
        let client = makeClient(transport) {
            $0.options.timeouts.attempt = .seconds(1)
            $0.options.redirects = .manual
            $0.defaultFields = [.userAgent: "strata"]
        }
        let response = try await client.execute(TransportRequest(url: "https://h/a"))
        #expect(response.head.status == .ok)
        #expect(transport.requests.allSatisfy { $0.options.timeouts == Timeouts() && $0["user-agent"] == nil })
    }

    @Test func turnsUserInformationIntoBasicCredentials() async throws {
        let transport = ScriptedTransport(.status(200))
        _ = try await makeClient(transport, baseURL: "http://us%40er:p%3Ass@h/").run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        #expect(transport.requests[0].url == "http://h/")
        #expect(transport.requests[0]["authorization"] == "Basic " + Data("us@er:p:ss".utf8).base64EncodedString())
        _ = try await makeClient(transport, baseURL: "http://key@h/").run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        #expect(transport.requests[1]["authorization"] == "Basic " + Data("key:".utf8).base64EncodedString())
    }
}
