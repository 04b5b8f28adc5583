// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting

@testable import StrataWebSocket

extension NetworkClient {
    init(
        _ transport: ScriptedTransport, clock: any NetworkClock = VirtualClock(),
        middleware: [any NetworkMiddleware] = []
    ) {
        self.init(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://h.example/api"), transport: transport, middleware: middleware,
                clock: clock))
    }

    /// A client whose server serves each socket so.
    init(
        clock: any NetworkClock = VirtualClock(), serverOptions: WebSocket.Options = .init(ping: .never),
        serving serve: @escaping @Sendable (WebSocket) async throws -> Void
    ) {
        self.init(ScriptedTransport(.webSocket(options: serverOptions, serve: serve)), clock: clock)
    }

    /// A client whose server gets the bytes of each socket.
    init(
        clock: any NetworkClock = VirtualClock(), channel serve: @escaping @Sendable (ByteChannel) async throws -> Void
    ) {
        self.init(ScriptedTransport(.upgrade(to: "websocket", serve: serve)), clock: clock)
    }
}

/// Sends back what comes.
@Sendable func echo(_ socket: WebSocket) async throws {
    while let message = try await socket.receive() { try await socket.send(message) }
}

/// What a client sends, event by event, on a server's channel.
struct ClientFrames: ~Copyable {
    private let channel: ByteChannel
    private var reader: FrameReader

    init(_ channel: ByteChannel, inflater: MessageInflater? = nil) {
        self.channel = channel
        reader = FrameReader(.server, inflater: inflater)
    }

    mutating func next() async throws -> FrameEvent? {
        while true {
            if let event = try reader.next() { return event }
            guard try await read() else { return nil }
        }
    }

    /// Takes some bytes; `false` at the end.
    @discardableResult
    mutating func read() async throws -> Bool {
        guard let bytes = try await channel.read() else { return false }
        reader.push(bytes)
        return true
    }
}
