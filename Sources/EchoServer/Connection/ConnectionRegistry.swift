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

    /// Keeps the channel until it closes. A second call does nothing.
    func add(_ channel: any Channel) {
        let (isNew, isClosed) = state.withLock { state in
            guard !state.isClosed else { return (false, true) }
            return (state.channels.updateValue(channel, forKey: ObjectIdentifier(channel)) == nil, false)
        }
        if isNew {
            channel.closeFuture.whenComplete { [self] _ in
                state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
            }
        }
        if isClosed { channel.close(promise: nil) }
    }

    /// Closes what is open, and from now on every channel that is added.
    func closeAll() {
        let channels = state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
