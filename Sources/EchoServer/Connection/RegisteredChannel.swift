// SPDX-License-Identifier: Apache-2.0

import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Registers each connection when it is accepted. Before the end of a TLS handshake nothing else knows of it.
struct RegisteredChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let connections: ConnectionRegistry

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection<Base>> {
        connections.add(channel)
        return base.setup(channel: channel, logger: logger).map {
            AcceptedConnection(base: base, value: $0, logger: logger)
        }
    }

    func handle(value: AcceptedConnection<Base>, logger: Logger) async {
        await value.handle(logger: logger)
    }
}

/// A connection that is handled, also when the server stops at this moment and drops it: NIO ends the process with one
/// that nobody has.
final class AcceptedConnection<Base: ServerChildChannel>: ServerChildChannelValue {
    private let base: Base
    private let value: Base.Value
    private let logger: Logger
    private let isHandled = Atomic(false)

    init(base: Base, value: Base.Value, logger: Logger) {
        self.base = base
        self.value = value
        self.logger = logger
    }

    deinit {
        if isHandled.load(ordering: .relaxed) { return }
        value.channel.close(promise: nil)
        Task { [base, value, logger] in await base.handle(value: value, logger: logger) }
    }

    var channel: any Channel { value.channel }

    func handle(logger: Logger) async {
        isHandled.store(true, ordering: .relaxed)
        await base.handle(value: value, logger: logger)
    }
}

extension ConnectionRegistry {
    func registering(_ base: some ServerChildChannel) -> any ServerChildChannel {
        RegisteredChannel(base: base, connections: self)
    }
}
