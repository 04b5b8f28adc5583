// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import Testing

@testable import StrataURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct RequestTranslationTests {
    @Test func keepsTargetAndMethod() throws {
        let request = try TransportRequest(
            method: #require(HTTPRequest.Method("PURGE")), url: "http://h.example:81/a%2Fb//c?q=%2B&r=a+b")
        let result = try RequestTranslation.urlRequest(for: request)
        #expect(result.url?.absoluteString == "http://h.example:81/a%2Fb//c?q=%2B&r=a+b")
        #expect(result.httpMethod == "PURGE")
    }

    @Test func joinsRepeatedFields() {
        var fields: HTTPFields = [:]
        for (name, value) in [("A", "1"), ("Cookie", "x=1"), ("a", "2"), ("Cookie", "y=2"), ("B", "")] {
            fields.append(HTTPField(name: HTTPField.Name(name)!, value: value))
        }
        let joined = RequestTranslation.joined(fields)
        #expect(joined.map(\.name) == ["A", "Cookie", "B"])
        #expect(joined.map(\.value) == ["1, 2", "x=1; y=2", ""])
    }

    @Test func leavesFramingToTheBackend() {
        #expect(RequestTranslation.joined([.contentLength: "7", .transferEncoding: "chunked"]).isEmpty)
    }

    @Test func addsTheFieldsOfTheSession() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["user-agent": "App/1", "X-Session": "s", "X-Own": "theirs"]
        let own = try #require(HTTPField.Name("X-Own"))
        let result = try RequestTranslation.urlRequest(
            for: TransportRequest(url: "http://h.example/", headerFields: [own: "ours"]),
            sessionFields: RequestTranslation.fields(of: configuration))
        #expect(result.value(forHTTPHeaderField: "User-Agent") == "App/1")
        #expect(result.value(forHTTPHeaderField: "X-Session") == "s")
        #expect(result.value(forHTTPHeaderField: "X-Own") == "ours")
        if Platform.suppressibleFields.contains(.accept) {
            #expect(result.value(forHTTPHeaderField: "Accept") == Platform.suppressedValue)
        }
    }

    // MARK: - Secrets of the session

    private static let sessionFields: HTTPFields = [.authorization: "Bearer t", .cookie: "a=1", .userAgent: "App/1"]

    /// What goes out of a field of the session in each exchange of a call.
    private func sent(
        _ name: String, base: String?, _ url: String, _ replies: ScriptedReply...,
        options: RequestOptions = RequestOptions()
    ) async throws -> [String?] {
        let transport = RecordingTransport(ScriptedTransport(replies))
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: base.flatMap { URL(string: $0) }, transport: transport))
        _ = try await client.execute(TransportRequest(url: url, options: options))
        return try transport.requests.map {
            try RequestTranslation.urlRequest(for: $0, sessionFields: Self.sessionFields)
                .value(forHTTPHeaderField: name)
        }
    }

    @Test(arguments: [("Authorization", "Bearer t"), ("Cookie", "a=1")])
    func theSessionsSecretsDoNotGoWhereARedirectLeads(_ name: String, _ secret: String) async throws {
        let (away, back) = (ScriptedReply.redirect(to: "https://b.example/2"), ScriptedReply.status(200))
        #expect(try await sent(name, base: nil, "https://a.example/1", away, back) == [secret, nil])
        #expect(try await sent(name, base: "https://a.example/", "https://a.example/1", away, back) == [secret, nil])
        let within = ScriptedReply.redirect(to: "https://a.example/2")
        #expect(try await sent(name, base: nil, "https://a.example/1", within, back) == [secret, secret])
        #expect(try await sent("User-Agent", base: nil, "https://a.example/1", away, back) == ["App/1", "App/1"])
    }

    @Test func theSessionsSecretsDoNotGoWithARequestThatMustHaveNone() async throws {
        var options = RequestOptions()
        options.isAuthenticationExempt = true
        for (name, value) in [("Authorization", nil), ("Cookie", nil), ("User-Agent", "App/1")] as [(String, String?)] {
            let sent = try await sent(
                name, base: "https://a.example/", "https://a.example/token", .status(200), options: options)
            #expect(sent == [value])
        }
    }

    @Test func theSessionsSecretsDoNotGoWhereALinkLeads() async throws {
        var options = RequestOptions()
        options.isLedByLink = true
        let found = try await sent("Authorization", base: nil, "https://b.example/2", .status(200), options: options)
        #expect(found == [nil])
    }

    @Test func theSessionsSecretsStayWithTheBaseURL() async throws {
        let found = try await sent("Authorization", base: "https://a.example/", "https://b.example/", .status(200))
        #expect(found == [nil])
    }

    @Test func aTransportUsedAloneAddsAllOfThem() throws {
        let result = try RequestTranslation.urlRequest(
            for: TransportRequest(url: "http://h.example/"), sessionFields: Self.sessionFields)
        #expect(result.value(forHTTPHeaderField: "Authorization") == "Bearer t")
    }

    @Test(.enabled(if: Platform.failsOnTrailers, "URLSession takes them here")) func refusesToAskForTrailers() throws {
        let request = try TransportRequest(url: "http://h.example/", headerFields: [.te: "trailers"])
        let error = #expect(throws: NetworkClientError.self) { try RequestTranslation.urlRequest(for: request) }
        #expect(error?.code == .unsupportedByTransport)
    }
}

/// Keeps the requests as they come, with their calls.
private final class RecordingTransport: NetworkTransport {
    private let script: ScriptedTransport
    private let recorded = Mutex<[TransportRequest]>([])

    init(_ script: ScriptedTransport) { self.script = script }

    var requests: [TransportRequest] { recorded.withLock { $0 } }
    var capabilities: TransportCapabilities { script.capabilities }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        recorded.withLock { $0.append(request) }
        return try await script.send(request)
    }
}
