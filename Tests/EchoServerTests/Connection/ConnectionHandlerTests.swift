// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import EchoServer

struct ConnectionHandlerTests {
    @Test(arguments: [true, false]) func tellsWhenTheClientGoes(_ closesItsSide: Bool) throws {
        let handler = ConnectionHandler()
        let channel = EmbeddedChannel(handler: handler)
        var hasGone = false
        try #require(handler.departure).assumeIsolated().whenSuccess { hasGone = true }
        #expect(!hasGone)
        if closesItsSide { channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        if !closesItsSide { _ = try channel.finish() }
        #expect(hasGone)
        if closesItsSide { _ = try channel.finish() }
    }

    /// In the middle of a response it would be taken for a part of it.
    @Test func continuesWhenTheResponsesBeforeHaveEnded() throws {
        let channel = EmbeddedChannel(handler: ConnectionHandler())
        func receive(_ fields: HTTPFields = [:]) throws {
            let head = HTTPRequest(method: .put, scheme: nil, authority: nil, path: "/", headerFields: fields)
            try channel.writeInbound(HTTPRequestPart.head(head))
        }
        func respond() throws -> [HTTPResponse.Status] {
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
            return try sent()
        }
        func sent() throws -> [HTTPResponse.Status] {
            var statuses: [HTTPResponse.Status] = []
            while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
                if case .head(let head) = part { statuses.append(head.status) }
            }
            return statuses
        }

        try receive([.expect: "100-continue"])
        #expect(try sent() == [.continue])
        try receive()
        try receive([.expect: "100-Continue"])
        try receive([.expect: "100-continue"])
        #expect(try sent() == [])
        #expect(try respond() == [.ok])
        #expect(try respond() == [.ok, .continue])
        #expect(try respond() == [.ok, .continue])
        #expect(try respond() == [.ok])
        _ = try channel.finish()
    }
}
