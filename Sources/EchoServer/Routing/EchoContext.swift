// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import NIOCore
import NIOHTTP1

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

    /// As in a status line: `HTTP/1.0`, `HTTP/1.1` or `HTTP/2`. `HTTP/1.1` where there is no socket, as in tests of the routes.
    ///
    /// Known until the response has ended.
    func version() async throws -> String {
        if isHTTP2 { return "HTTP/2" }
        let version = try await channel.eventLoop.submit { [channel] in
            (try? channel.pipeline.syncOperations.handler(type: HTTP10Handler.self))?.version
        }.get()
        return "\(version ?? .http1_1)"
    }

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
