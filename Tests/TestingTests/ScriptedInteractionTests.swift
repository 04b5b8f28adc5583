// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import Testing

struct ScriptedInteractionTests {
    private static let sum = HTTPField.Name("X-Sum") ?? .accept

    private func request(_ options: (inout RequestOptions) -> Void = { _ in }) throws -> TransportRequest {
        var request = try TransportRequest(url: "https://h/")
        options(&request.options)
        return request
    }

    @Test func putsTrailersBehindEveryKindOfBody() async throws {
        let fields: HTTPFields = [Self.sum: "7"]
        let replies: [ScriptedReply] = [
            .text("ab"), .pieces([Data("a".utf8), Data("b".utf8)]), .source { PiecesSource([Data("ab".utf8)]) },
        ]
        for reply in replies {
            let response = try await ScriptedTransport(reply.followed(by: fields)).send(request())
            #expect(try await response.body.collect() == Data("ab".utf8))
            #expect(try await response.trailers == fields)
        }
    }

    @Test func keepsThemWhenTheBodyIsCutInOtherPlaces() async throws {
        let fields: HTTPFields = [Self.sum: "7"]
        let reply = ScriptedReply.text("abc").followed(by: fields).preceded(by: HTTPResponse(status: .init(code: 103)))
        for reply in reply.rechunked(.everySplit) {
            let count = Mutex(0)
            let request = try request { $0.onInterim = { _ in count.withLock { $0 += 1 } } }
            let response = try await ScriptedTransport(reply).send(request)
            #expect(try await response.body.collect() == Data("abc".utf8))
            #expect(try await response.trailers == fields)
            #expect(count.withLock { $0 } == 1)
        }
    }

    @Test func anAnswerWithoutABodyHasNoTrailers() async throws {
        let transport = ScriptedTransport(ScriptedReply.status(204).followed(by: [Self.sum: "7"]))
        #expect(try await transport.send(request()).trailers.isEmpty)
    }

    @Test func showsTheTrailersOfARequest() async throws {
        let transport = ScriptedTransport()
        let body = RequestBody.stream(isReplayable: true, hasTrailers: true) {
            PiecesSource([Data("ab".utf8)], trailers: [Self.sum: "7"])
        }
        _ = try await transport.send(TransportRequest(method: .post, url: "https://h/", body: body))
        _ = try await transport.send(TransportRequest(method: .post, url: "https://h/", body: .data(Data("ab".utf8))))
        #expect(transport.requests.map(\.text) == ["ab", "ab"])
        #expect(transport.requests.map(\.trailers) == [[Self.sum: "7"], [:]])
    }

    @Test func servesAChannelUntilItsScriptEnds() async throws {
        let transport = ScriptedTransport(
            .upgrade(to: "echo", fields: [Self.sum: "7"]) { channel in
                guard let bytes = try await channel.read() else { return }
                try await channel.write(bytes + bytes)
            })
        let response = try await transport.send(request { $0.upgrade = "echo" })
        #expect(response.head.headerFields[Self.sum] == "7")
        let channel = try #require(response.channel)
        try await channel.write(Data("a".utf8))
        #expect(try await channel.read() == Data("aa".utf8))
        #expect(try await channel.read() == nil)
        #expect(transport.requests.first?.options.upgrade == "echo")
    }

    @Test func aScriptThatThrowsLosesTheConnection() async throws {
        struct Failure: Error {}
        let transport = ScriptedTransport(.upgrade(to: "echo") { _ in throw Failure() })
        let channel = try #require(try await transport.send(request { $0.upgrade = "echo" }).channel)
        await #expect { try await channel.read() } throws: { ($0 as? NetworkClientError)?.code == .connectionLost }
    }

    @Test func theShutdownEndsChannels() async throws {
        let transport = ScriptedTransport(.upgrade(to: "echo") { channel in _ = try await channel.read() })
        let channel = try #require(try await transport.send(request { $0.upgrade = "echo" }).channel)
        await transport.shutdown()
        await #expect { try await channel.read() } throws: { ($0 as? NetworkClientError)?.code == .transportShutDown }
    }

    @Test func aChannelEndsWithItsCallsTime() async throws {
        let clock = VirtualClock()
        let served = SharedResult<ByteChannel>()
        var configuration = NetworkConfiguration(
            baseURL: nil,
            transport: ScriptedTransport(
                .upgrade(to: "echo") { channel in
                    served.finish(.success(channel))
                    while try await channel.read() != nil {}
                }))
        configuration.clock = clock
        let request = try request {
            $0.upgrade = "echo"
            $0.timeouts.deadline = .seconds(10)
        }
        let channel = try #require(try await NetworkClient(configuration: configuration).execute(request).channel)
        let peer = try await served.value()
        try await peer.write(Data("a".utf8))
        #expect(try await channel.read() == Data("a".utf8))
        clock.advance(by: .seconds(11))
        await #expect {
            try await channel.write(Data("b".utf8))
        } throws: { ($0 as? NetworkClientError)?.timeout == .deadline }
    }
}
