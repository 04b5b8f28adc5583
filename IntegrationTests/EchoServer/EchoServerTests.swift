// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import Testing

@testable import EchoServer
@testable import StrataTesting

@Suite(.timeLimit(.minutes(5)))
struct EchoServerTests {
    private struct Echo: Decodable {
        var target: String
        var headers: [[String]]
        var version: String
    }

    private func get(_ target: String, port: Int, method: String = "GET") async throws -> String {
        try await LoopbackClient.exchange(
            "\(method) \(target) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", port: port)
    }

    @Test func serversRunSideBySideOnFreePorts() async throws {
        let servers = [try await EchoServer.start(), try await EchoServer.start(), try await EchoServer.start()]
        #expect(Set(servers.map(\.port)).count == 3)
        for server in servers {
            #expect(server.url == "http://127.0.0.1:\(server.port)")
            #expect(try await get("/status/201", port: server.port).hasPrefix("HTTP/1.1 201 Created\r\n"))
        }
        for server in servers { await server.stop() }
        for server in servers {
            #expect(throws: Socket.Failure.self) { try LoopbackClient(port: server.port) }
        }
    }

    @Test func aTakenPortIsAnError() async throws {
        try await EchoServer.withServer { server in
            await #expect(throws: (any Error).self) { try await EchoServer.start(.init(port: server.port)) }
        }
    }

    @Test func theServerStopsWhenTheBodyThrows() async throws {
        struct Failure: Error {}
        var port: Int?
        await #expect(throws: Failure.self) {
            try await EchoServer.withServer { server in
                port = server.port
                throw Failure()
            }
        }
        let freed = try #require(port)
        #expect(throws: Socket.Failure.self) { try LoopbackClient(port: freed) }
    }

    @Test func headsAreToldExactly() async throws {
        try await EchoServer.withServer { server in
            let head =
                "GET http://other:1/echo?q=%20 HTTP/1.1\r\nx-FOO: 1\r\nhOST: me\r\nX-foo:  2 \r\nConnection: close\r\n\r\n"
            let answer = try await LoopbackClient.exchange(head, port: server.port)
            let body = try #require(answer.components(separatedBy: "\r\n\r\n").last)
            let echo = try JSONDecoder().decode(Echo.self, from: Data(body.utf8))
            #expect(echo.target == "http://other:1/echo?q=%20")
            #expect(echo.headers == [["x-FOO", "1"], ["hOST", "me"], ["X-foo", "2"], ["Connection", "close"]])
            #expect(echo.version == "HTTP/1.1")
        }
    }

    @Test func pipelinedRequestsKeepTheirOwnHeads() async throws {
        try await EchoServer.withServer { server in
            let requests = (1...3).map { number in
                "GET /echo HTTP/1.1\r\nA\(number): x\r\n" + (number == 3 ? "Connection: close\r\n" : "") + "\r\n"
            }
            let answer = try await LoopbackClient.exchange(requests.joined(), port: server.port)
            let places = ["\"A1\"", "\"A2\"", "\"A3\""].compactMap { answer.range(of: $0)?.lowerBound }
            #expect(places.count == 3)
            #expect(places == places.sorted())
        }
    }

    @Test func pipelinedRequestsHaveEachItsVersion() async throws {
        try await EchoServer.withServer { server in
            let requests = ["1.1", "1.0"].map { "GET /echo HTTP/\($0)\r\nHost: h\r\n\r\n" }
            let answer = try await LoopbackClient.exchange(requests.joined(), port: server.port)
            let told = answer.matches(of: /"version": "([^"]+)"/).map { String($0.output.1) }
            #expect(told == ["HTTP/1.1", "HTTP/1.0"])
        }
    }

    @Test func headOfAStreamKeepsTheConnectionUsable() async throws {
        try await EchoServer.withServer { server in
            let two =
                "HEAD /stream/3 HTTP/1.1\r\nHost: h\r\n\r\nGET /status/204 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
            let answer = try await LoopbackClient.exchange(two, port: server.port)
            let heads = answer.components(separatedBy: "\r\n\r\n")
            #expect(heads.count == 3 && heads[2].isEmpty)
            #expect(heads[0].hasPrefix("HTTP/1.1 200") && heads[1].hasPrefix("HTTP/1.1 204"))
        }
    }

    @Test func expectationsAreMet() async throws {
        try await EchoServer.withServer { server in
            let client = try LoopbackClient(port: server.port)
            try await client.send(
                "PUT /upload HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
            )
            #expect(try await client.receive() == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.send("abc")
            #expect(try await client.receiveAll().contains("\"bytes\": 3"))
        }
    }

    @Test func anExpectationWaitsForTheResponseBefore() async throws {
        try await EchoServer.withServer { server in
            let two =
                "GET /stream/3 HTTP/1.1\r\nHost: h\r\n\r\n"
                + "PUT /upload HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
            let answer = try await LoopbackClient.exchange(two + "abc", port: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("\r\n0\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("\"bytes\": 3"))
        }
    }

    @Test func expectationsOfHTTP10AreIgnored() async throws {
        try await EchoServer.withServer { server in
            let request =
                "PUT /upload HTTP/1.0\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"
            let answer = try await LoopbackClient.exchange(request, port: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    /// RFC 9112 §6.1 and §9.3.
    @Test func anAnswerToHTTP10HasNoChunksAndEndsTheConnection() async throws {
        try await EchoServer.withServer { server in
            let request = "GET /stream/1 HTTP/1.0\r\nHost: h\r\n\r\n"
            let answer = try await LoopbackClient.exchange(request, port: server.port)
            let parts = answer.components(separatedBy: "\r\n\r\n")
            #expect(parts.count == 2 && parts[0].hasPrefix("HTTP/1.0 200 OK\r\n"))
            #expect(!parts[0].lowercased().contains("transfer-encoding"))
            #expect(parts[0].hasSuffix("\r\nConnection: close"))
            #expect(throws: Never.self) {
                try JSONSerialization.jsonObject(with: Data((parts.last ?? "").utf8))
            }
        }
    }

    @Test(arguments: [
        "GET /get", "HEAD /stream/1", "GET /status/204", "GET /nothing", "GET /download/3000000?chunked=1",
    ])
    func aConnectionOfHTTP10EndsWithItsResponse(_ line: String) async throws {
        try await EchoServer.withServer { server in
            // The second is not answered, whatever became of the first.
            let request = "\(line) HTTP/1.0\r\nHost: h\r\n\r\n"
            let answer = try await LoopbackClient.exchange(request + request, port: server.port)
            #expect(answer.components(separatedBy: "HTTP/1.").count == 2)
            #expect(answer.contains("\r\nConnection: close\r\n"))
            if line.contains("download") { #expect(answer.utf8.count > 3_000_000) }
        }
    }

    @Test func aConnectionOfHTTP10IsKeptWhenItsClientAsksUntilALengthIsUnknown() async throws {
        try await EchoServer.withServer { server in
            let requests = ["/get", "/status/204", "/stream/1", "/get"].map { target in
                "GET \(target) HTTP/1.0\r\nHost: h\r\nConnection: Keep-Alive\r\n\r\n"
            }
            let answer = try await LoopbackClient.exchange(requests.joined(), port: server.port)
            let heads = answer.components(separatedBy: "HTTP/1.").dropFirst()
            #expect(heads.map { $0.contains("\r\nConnection: keep-alive\r\n") } == [true, true, false])
            #expect(heads.last?.contains("\r\nConnection: close\r\n") == true)
        }
    }

    @Test(arguments: [
        "Connection", "content-length", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade",
    ])
    func fieldsThatEndAConnectionOfHTTP2AreRefusedThere(name: String) async throws {
        try await EchoServer.withServer(.init(http2: true)) { server in
            try await withCurl { transport in
                let response = try await transport.send(.get, server.url + "/response-headers?\(name)=5") {
                    $0.httpVersion = .http2PriorKnowledge
                }
                #expect(response.head.status == .badRequest)
            }
        }
    }

    @Test func droppedEventStreamsLackTheLastChunk() async throws {
        try await EchoServer.withServer { server in
            let whole = try await get("/sse?count=2", port: server.port)
            let dropped = try await get("/sse?count=2&drop_after=1", port: server.port)
            #expect(whole.hasSuffix("\r\n0\r\n\r\n"))
            #expect(dropped.contains("{\"n\":1}") && !dropped.contains("{\"n\":2}"))
            #expect(!dropped.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test(arguments: ["/hang", "/hang/head", "/hang/body/3", "/hang/unread", "/sse?count=2&interval=600000"])
    func stoppingDoesNotWaitForRequestsThatHang(target: String) async throws {
        let server = try await EchoServer.start()
        let client = try LoopbackClient(port: server.port)
        try await client.send("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
        // A second request shows that the first was taken.
        _ = try await get("/status/200", port: server.port)
        await server.stop()
        _ = try? await client.receiveAll()
    }

    @Test func stoppingClosesAConnectionOfHTTP2WithoutRequests() async throws {
        let server = try await EchoServer.start(.init(http2: true))
        let client = try LoopbackClient(port: server.port)
        // The settings, which the server sends unasked.
        #expect(try await !client.receive().isEmpty)
        await server.stop()
        _ = try? await client.receiveAll()
    }

    @Test(arguments: ["/hang", "/hang/unread"])
    func aRequestThatHangsEndsWhenItsClientHasGone(target: String) async throws {
        try await EchoServer.withServer { server in
            let client = try LoopbackClient(port: server.port)
            let giveUp = Task {
                try await Task.sleep(for: .seconds(50))
                client.connection.interrupt()
                Issue.record("the server does not close the connection")
            }
            defer { giveUp.cancel() }
            try await client.send("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
            client.connection.closeOutput()
            _ = try? await client.receiveAll()
        }
    }

    @Test func downloadsLargerThanAnyBufferArriveWhole() async throws {
        try await EchoServer.withServer { server in
            let client = try LoopbackClient(port: server.port)
            try await client.send("GET /download/20000000?chunked=1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            #expect(try await client.receiveAllBytes().count > 20_000_000)
        }
    }
}
