// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import EchoServer

struct ConnectionRegistryTests {
    private let registry = ConnectionRegistry()

    @Test func forgetsAChannelThatHasClosed() throws {
        let (first, second) = (EmbeddedChannel(), EmbeddedChannel())
        for channel in [first, second, first] { registry.add(channel) }
        #expect(registry.count == 2)
        _ = try first.finish()
        #expect(registry.count == 1)
        _ = try second.finish()
        #expect(registry.count == 0)
    }

    @Test func closesWhatIsOpenAndWhatComesLater() throws {
        let (early, late) = (EmbeddedChannel(), EmbeddedChannel())
        registry.add(early)
        registry.closeAll()
        registry.add(late)
        for channel in [early, late] {
            channel.embeddedEventLoop.run()
            #expect(throws: ChannelError.alreadyClosed) { try channel.finish() }
        }
        #expect(registry.count == 0)
    }
}
