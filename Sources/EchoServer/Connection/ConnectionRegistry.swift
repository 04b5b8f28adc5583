// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The channels that are open, so that stopping need not wait for requests that never end.
final class ConnectionRegistry: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock(\.channels.count) }

    /// Keeps the channel until it closes. On the channel's loop, and before it has other handlers. A second call does
    /// nothing.
    func add(_ channel: any Channel) {
        let (isNew, isClosed) = state.withLock { state in
            guard !state.isClosed else { return (false, true) }
            return (state.channels.updateValue(channel, forKey: ObjectIdentifier(channel)) == nil, false)
        }
        if isNew {
            try? channel.pipeline.syncOperations.addHandler(FirstHandler(), position: .first)
            channel.closeFuture.whenComplete { [self] _ in
                state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
            }
        }
        if isClosed { channel.close(promise: nil) }
    }

    /// Closes what is open, and from now on every channel that is added. What it returns says when those are closed
    /// that were open.
    @discardableResult
    func closeAll() -> [EventLoopFuture<Void>] {
        let channels = state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in channels {
            channel.eventLoop.execute {
                channel.close(promise: nil)
                // TLS has said so to the client and waits for its answer; the socket does not.
                let first = try? channel.pipeline.syncOperations.context(handlerType: FirstHandler.self)
                first?.close(promise: nil)
            }
        }
        return channels.map(\.closeFuture)
    }
}

/// Stands between the socket and all that a connection's pipeline has.
private final class FirstHandler: ChannelOutboundHandler {
    typealias OutboundIn = Never
}
