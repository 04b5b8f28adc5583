// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import NIOCore

/// What a request knows of its connection.
struct EchoContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// A stream of HTTP/2 is a channel within the channel of its connection.
    var isHTTP2: Bool { channel.parent?.parent != nil }

    var peer: Peer { Peer(channel.remoteAddress) }

    struct Peer: Sendable {
        /// Without port. `127.0.0.1` where there is no socket, as in tests of the routes.
        var address = "127.0.0.1"
        var port = 0

        init(_ address: SocketAddress?) {
            guard let address, let ip = address.ipAddress else { return }
            self.address = ip
            port = address.port ?? 0
        }
    }
}
