// SPDX-License-Identifier: Apache-2.0

import HummingbirdCore
import Logging
import NIOCore

/// Registers each connection when it is accepted. Before the end of a TLS handshake nothing else knows of it.
struct RegisteredChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let connections: ConnectionRegistry

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        connections.add(channel)
        return base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

extension ConnectionRegistry {
    func registering(_ base: some ServerChildChannel) -> any ServerChildChannel {
        RegisteredChannel(base: base, connections: self)
    }
}
