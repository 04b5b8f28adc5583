// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Synchronization
import Testing

struct InteractionTests {
    private enum Tenant: RequestAttributeKey {
        static let defaultValue: String? = nil
    }

    @Test func isNothingUnlessItIsAskedFor() {
        var options = RequestOptions()
        #expect(options.interaction == nil)
        options[Tenant.self] = "acme"
        #expect(options.interaction == nil)
        options.upgrade = nil
        options.onInterim = nil
        options.expectContinue = nil
        #expect(options.interaction == nil)
    }

    @Test func keepsEachOptionApart() {
        var options = RequestOptions()
        options.upgrade = "echo"
        options.expectContinue = .seconds(1)
        #expect(options.onInterim == nil)
        options.onInterim = { _ in }
        options.upgrade = nil
        #expect(options.upgrade == nil)
        #expect(options.expectContinue == .seconds(1))
        #expect(options.onInterim != nil)
        options.expectContinue = nil
        options.onInterim = nil
        #expect(options.interaction == nil)
    }

    @Test func aCopyIsAValueOfItsOwn() {
        var options = RequestOptions()
        options.upgrade = "echo"
        var copy = options
        copy.upgrade = "other"
        #expect(options.upgrade == "echo")
    }

    // MARK: What a transport cannot do

    private func failure(
        without feature: TransportCapabilities.Features, body: RequestBody = .empty,
        _ options: (inout RequestOptions) -> Void
    ) async throws -> NetworkClientError? {
        let transport = ScriptedTransport([], features: ScriptedTransport.allFeatures.subtracting(feature))
        var request = try TransportRequest(method: .post, url: "https://h.example/", body: body)
        options(&request.options)
        do { _ = try await makeClient(transport).execute(request) } catch let error as NetworkClientError {
            #expect(transport.requests.isEmpty)
            return error
        }
        return nil
    }

    private func code(
        without feature: TransportCapabilities.Features, body: RequestBody = .empty,
        _ options: (inout RequestOptions) -> Void
    ) async throws -> NetworkClientError.Code? { try await failure(without: feature, body: body, options)?.code }

    @Test func failsBeforeAnythingIsSentWhereATransportCannot() async throws {
        let body = RequestBody.data(Data("x".utf8))
        #expect(try await code(without: .upgrades) { $0.upgrade = "echo" } == .unsupportedByTransport)
        #expect(try await code(without: .requestProxies) { $0.ownProxy = "any" } == .unsupportedByTransport)
        #expect(try await code(without: .interimResponses) { $0.onInterim = { _ in } } == .unsupportedByTransport)
        #expect(
            try await code(without: .expectContinue, body: body) { $0.expectContinue = .seconds(1) }
                == .unsupportedByTransport)
        #expect(try await code(without: [], body: body) { $0.expectContinue = .seconds(1) } == nil)
    }

    @Test func namesATransportThatCan() async throws {
        let proxy = try #require(try await failure(without: .requestProxies) { $0.ownProxy = "any" })
        #expect("\(proxy)".contains("NativeTransport") && !"\(proxy)".contains("CurlTransport"))
        let interim = try #require(try await failure(without: .interimResponses) { $0.onInterim = { _ in } })
        #expect("\(interim)".contains("CurlTransport"))
    }

    @Test func anExpectationWithoutABodyNeedsNothing() async throws {
        #expect(try await code(without: .expectContinue) { $0.expectContinue = .seconds(1) } == nil)
    }

    @Test func whatTransportsReadOfEachOtherStandsWithTheRest() {
        var options = RequestOptions()
        options.ownProxy = nil
        options.messageFraming = nil
        #expect(options.interaction == nil && options.ownProxy == nil && options.messageFraming == nil)
        options.ownProxy = "proxy"
        #expect(options.ownProxy as? String == "proxy" && options.interaction?.proxy as? String == "proxy")
        options.messageFraming = MessageFraming(maximumMessageBytes: 5) { _ in preconditionFailure() }
        options.ownProxy = nil
        #expect(options.ownProxy == nil)
        #expect(options.messageFraming?.maximumMessageBytes == 5)
        options.messageFraming = nil
        #expect(options.interaction == nil)
    }

    @Test(
        arguments: [
            ("websocket", [.upgrades], nil), ("websocket", [.webSockets], nil), ("WebSocket", [.webSockets], nil),
            ("h2c", [.upgrades], nil), ("h2c", [.webSockets], .unsupportedByTransport),
            ("websocket", [], .unsupportedByTransport), ("web socket", [.upgrades], .invalidRequest),
            ("", [.upgrades], .invalidRequest),
        ] as [(String, TransportCapabilities.Features, NetworkClientError.Code?)])
    func aProtocolIsATokenThatTheTransportCanSwitchTo(
        _ name: String, _ features: TransportCapabilities.Features, _ expected: NetworkClientError.Code?
    ) async throws {
        let others = ScriptedTransport.allFeatures.subtracting([.upgrades, .webSockets])
        let client = makeClient(ScriptedTransport([], features: others.union(features)))
        var request = try TransportRequest(url: "https://h.example/")
        request.options.upgrade = name
        let error = await #expect(throws: NetworkClientError.self) {
            if try await client.execute(request).head.status.code > 0 { throw NetworkClientError(.foreign, "sent") }
        }
        #expect(error?.code == expected ?? .foreign)
    }

    // MARK: Interim responses

    private final class Heads: Sendable {
        private let codes = Mutex<[Int]>([])
        var all: [Int] { codes.withLock { $0 } }
        func add(_ head: HTTPResponse) { codes.withLock { $0.append(head.status.code) } }
    }

    private static func head(_ code: Int) -> HTTPResponse { HTTPResponse(status: .init(code: code)) }

    @Test func tellsOfInterimResponsesInOrder() async throws {
        let heads = Heads()
        let client = makeClient(ScriptedTransport(.text("ok").preceded(by: Self.head(103), Self.head(102))))
        var request = try TransportRequest(url: "https://h.example/")
        request.options.onInterim = heads.add
        #expect(try await client.execute(request).head.status == .ok)
        #expect(heads.all == [103, 102])
    }

    @Test func tellsOfThoseOfEachHop() async throws {
        let heads = Heads()
        let client = makeClient(
            ScriptedTransport(
                .redirect(to: "/next").preceded(by: Self.head(103)), .text("ok").preceded(by: Self.head(102))))
        var request = try TransportRequest(url: "https://h.example/")
        request.options.onInterim = heads.add
        #expect(try await client.execute(request).head.status == .ok)
        #expect(heads.all == [103, 102])
    }
}
