// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataEncoding
import StrataStreaming
import StrataTesting
import Testing

/// Streams of events over real connections.
@Suite(.timeLimit(.minutes(2)))
struct EventStreamTests {
    private typealias PlainRequest = NetworkRequest<VoidRequest, VoidResponse>

    private static let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n"

    private var policy: ReconnectionPolicy {
        var policy = ReconnectionPolicy()
        policy.initialDelay = .milliseconds(10)
        return policy
    }

    private func withClient<Result>(
        to url: String, _ body: (NetworkClient) async throws -> Result
    ) async throws -> Result {
        try await withCurl { transport in
            try await body(
                NetworkClient(configuration: NetworkConfiguration(baseURL: URL(string: url), transport: transport)))
        }
    }

    // MARK: One response

    @Test func anEventIsThereWhileTheBodyIsStillOpen() async throws {
        let script: RawScript = [.readRequest, .send(Self.head), .send("data: a"), .send("\n\n"), .readToEnd]
        try await RawServer.withServer(script: script) { server in
            try await withClient(to: server.url) { client in
                for try await event in try await client.events(for: PlainRequest(method: .get)) {
                    #expect(event.data == "a")
                    break
                }
                // The loop's end reaches the server.
                try await server.wait { $0.isClosedByPeer }
            }
        }
    }

    @Test func everyByteMayComeAlone() async throws {
        let stream = "\u{FEFF}event: \u{20AC}\r\nid: 1\r\ndata: a\r\ndata: \u{1F680}\r\n\r\n"
        try await RawServer.withServer(
            script: [.readRequest, .send(Self.head), .drip(stream, every: .milliseconds(1)), .close]
        ) { server in
            try await withClient(to: server.url) { client in
                var events: [ServerSentEvent] = []
                for try await event in try await client.events(for: PlainRequest(method: .get)) { events.append(event) }
                #expect(events == [ServerSentEvent(type: "\u{20AC}", data: "a\n\u{1F680}", id: "1")])
            }
        }
    }

    @Test func aStreamThatIsCutOffIsAnErrorBehindItsEvents() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await RawServer.withServer(
            script: [.readRequest, .send(head + "b\r\ndata: one\n\n\r\n"), .wait(.milliseconds(20)), .close]
        ) { server in
            try await withClient(to: server.url) { client in
                let request = NetworkRequest<[String: Bool], VoidResponse>(method: .post, body: ["stream": true])
                var iterator = try await client.events(for: request).makeAsyncIterator()
                #expect(try await iterator.next()?.data == "one")
                let error = await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
                #expect(error?.code == .connectionLost)
                #expect(server.log.requests.first?.body == Array(#"{"stream":true}"#.utf8))
            }
        }
    }

    @Test func linesAndModelsArriveToo() async throws {
        try await EchoTarget.withServer { server in
            try await withClient(to: server.url) { client in
                struct Line: Decodable { var id: Int }
                var numbers: [Int] = []
                for try await line in try await client.jsonLines(
                    for: PlainRequest(path: "stream/5", method: .get), decoding: Line.self)
                {
                    numbers.append(line.id)
                }
                #expect(numbers == [0, 1, 2, 3, 4])
                var count = 0
                for try await line in try await client.lines(for: PlainRequest(path: "stream/5", method: .get)) {
                    #expect(line.hasPrefix("{"))
                    count += 1
                }
                #expect(count == 5)
                var bytes = 0
                for try await _ in try await client.bytes(for: PlainRequest(path: "bytes/1000", method: .get)) {
                    bytes += 1
                }
                #expect(bytes == 1_000)
            }
        }
    }

    // MARK: Reconnection

    @Test func noEventIsLostWhenTheServerDropsItsConnections() async throws {
        try await EchoTarget.withServer { server in
            try await withClient(to: server.url) { client in
                let request = PlainRequest(path: "sse?count=50&drop_after=7&retry=1", method: .get)
                var numbers: [String] = []
                for try await event in try client.eventSource(for: request, reconnection: policy) {
                    numbers.append(event.lastEventID)
                }
                #expect(numbers == (1...50).map { "\($0)" })
            }
        }
    }

    @Test func nothingOfAnUnfinishedEventSurvivesAReset() async throws {
        let first: RawScript = [
            .readRequest, .send(Self.head + "id: abc\ndata: Hello\n\nid: def\ndata: Good"), .wait(.milliseconds(50)),
            .reset,
        ]
        let second: RawScript = [.readRequest, .send(Self.head + "bye\nid: \u{2026}\ndata: Again\n\n"), .close]
        let third: RawScript = [.readRequest, .send("HTTP/1.1 204 No Content\r\n\r\n"), .close]
        let server = try RawServer.start(scripts: [first, second, third], then: .close)
        defer { server.stop() }
        try await withClient(to: server.url) { client in
            var data: [String] = []
            for try await event in try client.eventSource(for: PlainRequest(method: .get), reconnection: policy) {
                data.append(event.data)
            }
            #expect(data == ["Hello", "Again"])
            #expect(server.log.requests.map { $0.values(of: "Last-Event-ID") } == [[], ["abc"], ["\u{2026}"]])
            #expect(server.log.requests.allSatisfy { $0.values(of: "Accept") == ["text/event-stream"] })
        }
    }

    @Test func aServerThatFallsSilentIsLeft() async throws {
        let silent: RawScript = [.readRequest, .send(Self.head + "id: 1\ndata: a\n\n"), .readToEnd]
        let end: RawScript = [.readRequest, .send("HTTP/1.1 204 No Content\r\n\r\n"), .close]
        let server = try RawServer.start(scripts: [silent, end], then: .close)
        defer { server.stop() }
        try await withClient(to: server.url) { client in
            let request = PlainRequest(method: .get) { $0.timeouts.idle = .milliseconds(200) }
            let (causes, cause) = AsyncStream<NetworkClientError.Code?>.makeStream()
            var policy = policy
            policy.onReconnect = { cause.yield(($0.cause as? NetworkClientError)?.code) }
            for try await event in try client.eventSource(for: request, reconnection: policy) {
                #expect(event.data == "a")
            }
            cause.finish()
            #expect(await causes.reduce(into: []) { $0.append($1) } == [.timedOut])
            #expect(server.log.requests.last?.values(of: "Last-Event-ID") == ["1"])
        }
    }

    @Test func commentsKeepAStreamAlive() async throws {
        let script: RawScript = [
            .readRequest, .send(Self.head),
            .drip(String(repeating: ":\n", count: 15), size: 2, every: .milliseconds(100)),
            .send("data: late\n\n"),
            .readToEnd,
        ]
        try await RawServer.withServer(script: script) { server in
            try await withClient(to: server.url) { client in
                let request = PlainRequest(method: .get) { $0.timeouts.idle = .seconds(1) }
                var iterator = try client.eventSource(for: request, reconnection: policy).makeAsyncIterator()
                #expect(try await iterator.next()?.data == "late")
                #expect(server.log.connectionCount == 1)
            }
        }
    }

    @Test func closingEndsTheTransfer() async throws {
        try await RawServer.withServer(script: [.readRequest, .send(Self.head + "data: a\n\n"), .readToEnd]) { server in
            try await withClient(to: server.url) { client in
                let source = try client.eventSource(for: PlainRequest(method: .get), reconnection: policy)
                let reader = Task {
                    var count = 0
                    for try await _ in source { count += 1 }
                    return count
                }
                for await state in source.states where state == .open { break }
                source.close()
                #expect(try await reader.value <= 1)
                try await server.wait { $0.isClosedByPeer }
                #expect(server.log.connectionCount == 1)
            }
        }
    }
}
