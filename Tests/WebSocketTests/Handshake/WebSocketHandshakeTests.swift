// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

@testable import StrataWebSocket

@Suite(.timeLimit(.minutes(10)))
struct WebSocketHandshakeTests {
    private func upgrade(_ fields: HTTPFields) -> ScriptedReply {
        .upgrade(to: "websocket", fields: fields) { channel in while try await channel.read() != nil {} }
    }

    private func failure(
        _ reply: ScriptedReply, protocols: [String] = [], options: WebSocket.Options = .init(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> NetworkClientError? {
        await #expect(throws: NetworkClientError.self, sourceLocation: sourceLocation) {
            _ = try await NetworkClient(ScriptedTransport(reply)).webSocket(
                "live", protocols: protocols, options: options)
        }
    }

    @Test func asksForASocket() async throws {
        let transport = ScriptedTransport(.webSocket(subprotocol: "b", serve: echo))
        let socket = try await NetworkClient(transport).webSocket(
            "live?x=1", protocols: ["a", "b"], options: .init(compression: .init(clientWindowBits: 15)))
        let head = try #require(transport.requests.first?.head)
        #expect(head.method == .get)
        #expect(head.absoluteURL == "https://h.example/api/live?x=1")
        #expect(head.headerFields[.secWebSocketVersion] == "13")
        #expect(head.headerFields[.secWebSocketProtocol] == "a, b")
        #expect(head.headerFields[.secWebSocketExtensions] == "permessage-deflate; client_max_window_bits")
        let key = try #require(head.headerFields[.secWebSocketKey])
        #expect(Data(base64Encoded: key)?.count == 16)
        #expect(transport.requests[0].options.upgrade == "websocket")
        #expect(socket.subprotocol == "b")
        #expect(socket.response.status == .switchingProtocols)
        #expect(socket.exchange.attempts.count == 1)
    }

    @Test(arguments: ["wss://other.example/live?x=1", "WSS://other.example/live?x=1", "https://other.example/live?x=1"])
    func takesCompleteURLs(_ url: String) async throws {
        let transport = ScriptedTransport(.webSocket(serve: echo))
        _ = try await NetworkClient(transport).webSocket("\(raw: url)")
        #expect(transport.requests[0].head.absoluteURL == "https://other.example/live?x=1")
    }

    @Test func theKeyIsAnsweredAsTheStandardSays() {
        #expect(WebSocketKey.accept(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(WebSocketKey.random() != WebSocketKey.random())
    }

    @Test func everyAttemptHasAKeyOfItsOwn() async throws {
        let transport = ScriptedTransport(.status(503), .redirect(to: "/moved"), .webSocket(serve: echo))
        let client = NetworkClient(transport, middleware: [RetryMiddleware()])
        let socket = try await client.webSocket("live")
        #expect(socket.exchange.attempts.count == 3)
        #expect(Set(transport.requests.compactMap { $0.head.headerFields[.secWebSocketKey] }).count == 3)
        #expect(transport.requests[2].head.path == "/moved")
    }

    @Test func aRefusalIsAnErrorWithTheResponse() async throws {
        for status in [200, 400, 401, 403, 404, 426] {
            let error = await failure(.json(#"{"error":"no"}"#, status: status))
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.response?.status.code == status)
            #expect(error?.body == Data(#"{"error":"no"}"#.utf8))
        }
    }

    @Test(arguments: ["", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "nonsense"])
    func refusesAWrongProof(_ accept: String) async {
        let error = await failure(upgrade([.secWebSocketAccept: accept]))
        #expect(error?.code == .protocolViolation)
        #expect(error?.response?.status == .switchingProtocols)
    }

    @Test func refusesSubprotocolsThatWereNotOffered() async {
        #expect(await failure(upgrade([.secWebSocketProtocol: "a"]))?.code == .protocolViolation)
        #expect(await failure(upgrade([.secWebSocketProtocol: "A"]), protocols: ["a"])?.code == .protocolViolation)
        #expect(
            await failure(upgrade([.secWebSocketProtocol: "a, b"]), protocols: ["a", "b"])?.code == .protocolViolation)
    }

    @Test(arguments: [["a b"], [""], ["a", "a"], ["é"]])
    func refusesSubprotocolsThatMayNotBeOffered(_ protocols: [String]) async {
        #expect(await failure(upgrade([:]), protocols: protocols)?.code == .invalidRequest)
    }

    @Test func refusesOtherMethods() async {
        let client = NetworkClient(serving: echo)
        let error = await #expect(throws: NetworkClientError.self) {
            _ = try await client.webSocket(for: NetworkRequest<VoidRequest, VoidResponse>(path: "live", method: .post))
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func aTransportThatCannotSwitchSaysSo() async {
        let features = ScriptedTransport.allFeatures.subtracting([.upgrades, .webSockets])
        let client = NetworkClient(ScriptedTransport([.status(200)], features: features))
        let error = await #expect(throws: NetworkClientError.self) { _ = try await client.webSocket("live") }
        #expect(error?.code == .unsupportedByTransport)
    }

    @Test(arguments: [TransportCapabilities.Features.upgrades, .webSockets])
    func eitherFeatureOpensASocket(_ missing: TransportCapabilities.Features) async throws {
        let features = ScriptedTransport.allFeatures.subtracting(missing)
        _ = try await NetworkClient(ScriptedTransport([.webSocket(serve: echo)], features: features)).webSocket("live")
    }

    @Test func goesThroughTheMiddleware() async throws {
        let transport = ScriptedTransport(.webSocket(serve: echo))
        let client = NetworkClient(
            transport, middleware: [BasicAuthMiddleware(username: "me", password: "secret")])
        _ = try await client.webSocket("live")
        #expect(transport.requests[0].head.headerFields[.authorization]?.hasPrefix("Basic ") == true)
    }

    /// As one over HTTP/2 does, where there is no key and no proof (RFC 8441 §5).
    private struct StreamTransport: NetworkTransport {
        let version: String
        let capabilities = TransportCapabilities(name: "streams", features: ScriptedTransport.allFeatures)

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let head = HTTPResponse(status: .switchingProtocols, headerFields: [.upgrade: "websocket"])
            let connection = MemoryConnection.pair().0
            var response = try TransportResponse(switching: head, to: connection, for: request)
            response.metrics = TransportMetrics()
            response.metrics?.httpVersion = version
            return response
        }
    }

    @Test func asksForNoProofWhereThereIsNone() async throws {
        func open(_ version: String) async throws -> WebSocket {
            let transport = StreamTransport(version: version)
            return try await NetworkClient(
                configuration: NetworkConfiguration(baseURL: "https://h.example", transport: transport)
            ).webSocket("live")
        }
        try await open("HTTP/2").cancel()
        await #expect(throws: NetworkClientError.self) { _ = try await open("HTTP/1.1") }
    }

    // MARK: Extensions

    private func terms(_ value: String, _ offer: WebSocket.Compression? = .init()) throws -> CompressionTerms? {
        try CompressionTerms.accepted([value], offer: offer)
    }

    @Test func readsWhatTheServerAgreesTo() throws {
        #expect(try terms("", .init()) == nil)
        #expect(try CompressionTerms.accepted([], offer: .init()) == nil)
        let plain = try #require(try terms("permessage-deflate"))
        #expect(plain == CompressionTerms(clientWindowBits: 12))
        let all = try terms(
            "permessage-deflate; server_no_context_takeover;client_no_context_takeover ; server_max_window_bits=10; client_max_window_bits=\"9\""
        )
        #expect(
            all
                == CompressionTerms(
                    clientWindowBits: 9, serverWindowBits: 10, clientKeepsContext: false, serverKeepsContext: false))
        #expect(try terms("permessage-deflate; client_max_window_bits=15")?.clientWindowBits == 12)
        var offer = WebSocket.Compression(serverWindowBits: 10)
        offer.resetsServerContext = true
        #expect(
            try terms("permessage-deflate; server_no_context_takeover; server_max_window_bits=9", offer)?
                .serverWindowBits == 9)
    }

    @Test(arguments: [
        "permessage-bzip2", "permessage-deflate, permessage-deflate", "x-webkit-deflate-frame",
        "permessage-deflate; unknown", "permessage-deflate; server_max_window_bits",
        "permessage-deflate; server_max_window_bits=7", "permessage-deflate; server_max_window_bits=16",
        "permessage-deflate; server_max_window_bits=010", "permessage-deflate; server_max_window_bits=",
        "permessage-deflate; client_max_window_bits", "permessage-deflate; client_max_window_bits=7",
        "permessage-deflate; server_no_context_takeover=1", "permessage-deflate; client_no_context_takeover=true",
        "permessage-deflate; server_no_context_takeover; server_no_context_takeover", "permessage-deflate; =",
        "permessage-deflate server_no_context_takeover", ";", "=", "permessage-deflate;", "\"permessage-deflate\"",
    ])
    func refusesWhatWasNotOffered(_ value: String) async {
        #expect(throws: NetworkClientError.self) { try terms(value) }
        let error = await failure(
            upgrade([.secWebSocketExtensions: value]), options: .init(compression: .init()))
        #expect(error?.code == .protocolViolation)
    }

    @Test func refusesCompressionWithoutAnOffer() throws {
        #expect(throws: NetworkClientError.self) { try terms("permessage-deflate", nil) }
    }

    @Test func refusesAnAnswerThatLeavesOutWhatWasAskedFor() {
        var offer = WebSocket.Compression()
        offer.resetsServerContext = true
        #expect(throws: NetworkClientError.self) { try terms("permessage-deflate", offer) }
        #expect(throws: NetworkClientError.self) {
            try terms("permessage-deflate", WebSocket.Compression(serverWindowBits: 10))
        }
        #expect(throws: NetworkClientError.self) {
            try terms("permessage-deflate; server_max_window_bits=11", WebSocket.Compression(serverWindowBits: 10))
        }
    }
}
