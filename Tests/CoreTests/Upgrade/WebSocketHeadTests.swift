// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

struct WebSocketHeadTests {
    /// RFC 6455 §1.3.
    private static let (key, proof) = ("dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")

    private func request(upgrade: String?) throws -> TransportRequest {
        var request = try TransportRequest(url: "http://example.com/", headerFields: [.secWebSocketKey: Self.key])
        request.options.upgrade = upgrade
        return request
    }

    @Test func provesThatTheKeyWasRead() throws {
        #expect(WebSocketKey.accept(for: Self.key) == Self.proof)
        let head = HTTPResponse(status: .switchingProtocols)
        #expect(
            try head.acceptingSocket(of: request(upgrade: "WebSocket")).headerFields[.secWebSocketAccept] == Self.proof)
    }

    @Test func leavesTheProofOfTheServer() throws {
        let head = HTTPResponse(status: .switchingProtocols, headerFields: [.secWebSocketAccept: "other"])
        #expect(try head.acceptingSocket(of: request(upgrade: "websocket")) == head)
        #expect(
            try head.openingSocket(for: request(upgrade: "websocket")).headerFields[.secWebSocketAccept] == Self.proof)
    }

    @Test func provesNothingToOthers() throws {
        let head = HTTPResponse(status: .switchingProtocols)
        for upgrade in ["h2c", nil] { #expect(try head.acceptingSocket(of: request(upgrade: upgrade)) == head) }
    }
}
