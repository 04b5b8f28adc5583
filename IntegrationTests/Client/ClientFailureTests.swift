// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

/// What a user sees when something is wrong: one error that names the stage, with the record of the call.
@Suite(.timeLimit(.minutes(5)))
struct ClientFailureTests {
    /// A call that fails, and how often it reached a transport.
    private func failure(
        _ transport: TestedTransport, _ path: String, fields: [String: String]? = nil,
        _ options: @escaping RequestOptions.Override = { $0.timeouts.idle = .seconds(20) }
    ) async throws -> (error: NetworkClientError, attempts: Int) {
        var failure: NetworkClientError?
        try await transport.run { transport in
            let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: transport))
            failure = await #expect(throws: NetworkClientError.self) {
                _ = try await client.run(
                    NetworkRequest<VoidRequest, String>(
                        path: path, method: .get, additionalHeaders: fields, options: options))
            }
        }
        let error = try #require(failure)
        return (error, try #require(error.exchange).attempts.count)
    }

    @Test(arguments: TestedTransport.allCases, ["http://[::1/", "http://a b/", "no-scheme", "http://host:99999/"])
    func aMalformedURLReachesNoTransport(_ transport: TestedTransport, url: String) async throws {
        let (error, attempts) = try await failure(transport, url)
        #expect(error.code == .malformedURL)
        #expect(attempts == 0)
    }

    @Test(arguments: TestedTransport.allCases, ["a\r\nInjected: yes", "a\nb", "a\0b"])
    func aFieldThatWouldEndItsLineReachesNoTransport(_ transport: TestedTransport, value: String) async throws {
        let (error, attempts) = try await failure(transport, "http://127.0.0.1:1/", fields: ["X-Field": value])
        #expect(error.code == .invalidRequest)
        #expect(attempts == 0)
        #expect(!"\(error)".contains("Injected"))
    }

    @Test(arguments: TestedTransport.allCases)
    func aHostThatDoesNotExistIsDNSFailed(_ transport: TestedTransport) async throws {
        let (error, attempts) = try await failure(transport, "http://strata.invalid/")
        #expect(error.code == .dnsFailed)
        #expect(attempts == 1)
    }

    @Test(arguments: TestedTransport.allCases)
    func aPortThatRefusesIsCannotConnect(_ transport: TestedTransport) async throws {
        let server = try RawServer.refusing()
        let (error, attempts) = try await failure(transport, server.url)
        #expect(error.code == .cannotConnect)
        #expect(attempts == 1)
        #expect(error.isUnprocessed)
    }

    @Test(arguments: TestedTransport.allCases)
    func aCertificateThatNobodySignedIsTLSFailed(_ transport: TestedTransport) async throws {
        try await EchoServer.withServer(.init(tls: .init())) { server in
            let (error, attempts) = try await failure(transport, server.url + "/get")
            #expect(error.code == .tlsFailed)
            #expect(attempts == 1)
        }
    }

    @Test(arguments: TestedTransport.allCases)
    func aBodyThatIsCutShortIsConnectionLost(_ transport: TestedTransport) async throws {
        let script: RawScript = [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), .close]
        try await RawServer.withServer(script: script) { server in
            let (error, attempts) = try await failure(transport, server.url)
            #expect(error.code == .connectionLost)
            #expect(error.response?.status == .ok)
            #expect(attempts == 1)
        }
    }

    @Test(arguments: TestedTransport.allCases)
    func aBodyOverTheLimitIsBodyTooLarge(_ transport: TestedTransport) async throws {
        try await EchoTarget.withServer { server in
            let (error, attempts) = try await failure(transport, server.url + "/bytes/5000") {
                $0.maximumResponseBytes = 4999
            }
            #expect(error.code == .bodyTooLarge)
            #expect(error.exchange?.attempts.last?.error == .bodyTooLarge)
            #expect(attempts == 1)
        }
    }

    @Test(arguments: TestedTransport.allCases)
    func aReplyThatIsNotHTTPIsAProtocolViolation(_ transport: TestedTransport) async throws {
        let script: RawScript = [.readRequest, .send("SSH-2.0-OpenSSH_9.2\r\n\r\n"), .close]
        try await RawServer.withServer(script: script) { server in
            let (error, attempts) = try await failure(transport, server.url)
            #expect(error.code == .protocolViolation)
            #expect(attempts == 1)
        }
    }
}
