// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAPI
import StrataCore
import StrataStreaming
import StrataTesting
import Testing

/// What becomes of the connection of a stream that is over for its reader.
@Suite(.timeLimit(.minutes(2)))
struct StreamEndTests {
    struct Numbered: Decodable, Equatable { var id: Int }

    @API
    struct FeedAPI {
        @EventStreaming @GET("/feed") func numbers() async throws -> APIStream<Numbered>
    }

    private static let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func chunk(_ text: String) -> String { "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n" }

    private static let events = chunk("data: {\"id\": 1}\n\n") + chunk("data: [DONE]\n\n")

    @Test(arguments: TestedTransport.allCases)
    func theConnectionServesTheNextCallWhenTheBodyEndsSoonAfterTheMark(_ transport: TestedTransport) async throws {
        // On a busy machine, five milliseconds may be more than the client waits for.
        var counts: [Int] = []
        for _ in 1...3 where counts.last != 1 { counts.append(try await connectionsOfFiveCalls(over: transport)) }
        #expect(counts.last == 1, "\(counts)")
    }

    private func connectionsOfFiveCalls(over transport: TestedTransport) async throws -> Int {
        let script = RawScript.forever(
            .readRequest, .send(Self.head + Self.events), .wait(.milliseconds(5)), .send("0\r\n\r\n"))
        return try await RawServer.withServer(script: script) { server in
            try await transport.run { transport in
                let client = NetworkClient(
                    configuration: NetworkConfiguration(baseURL: URL(string: server.url), transport: transport))
                for _ in 1...5 {
                    var seen: [Numbered] = []
                    for try await number in try await client.events(
                        for: NetworkRequest<VoidRequest, VoidResponse>(method: .get), decoding: Numbered.self,
                        until: "[DONE]")
                    {
                        seen.append(number)
                    }
                    #expect(seen == [Numbered(id: 1)])
                }
            }
            return server.log.connectionCount
        }
    }

    @Test(arguments: TestedTransport.allCases)
    func aBodyThatDoesNotEndCostsItsConnectionAlone(_ transport: TestedTransport) async throws {
        try await RawServer.withServer(script: [.readRequest, .send(Self.head + Self.events), .readToEnd]) { server in
            try await transport.run { transport in
                let client = NetworkClient(
                    configuration: NetworkConfiguration(baseURL: URL(string: server.url), transport: transport))
                let numbers = try await client.events(
                    for: NetworkRequest<VoidRequest, VoidResponse>(method: .get), decoding: Numbered.self,
                    until: "[DONE]")
                var seen: [Numbered] = []
                for try await number in numbers { seen.append(number) }
                #expect(seen == [Numbered(id: 1)])
                try await server.wait { $0.isClosedByPeer }
            }
        }
    }

    @Test(arguments: TestedTransport.allCases)
    func leavingTheLoopEndsTheTransferWhileTheStreamIsHeld(_ transport: TestedTransport) async throws {
        try await RawServer.withServer(
            script: [.readRequest, .send(Self.head + Self.chunk("data: {\"id\": 1}\n\n")), .readToEnd]
        ) { server in
            try await transport.run { transport in
                let stream = try await FeedAPI(Provider(baseURL: server.url, transport: transport)).numbers()
                for try await number in stream {
                    #expect(number.id == 1)
                    break
                }
                try await server.wait { $0.isClosedByPeer }
                withExtendedLifetime(stream) {}
            }
        }
    }
}
