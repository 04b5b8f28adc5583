// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
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
}
