// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore

/// Answers that never end, until the client goes or the server stops.
///
/// - `/hang`: reads the request, sends nothing.
/// - `/hang/unread`: does not read the body either, so that a large upload stalls.
/// - `/hang/head`: sends the head of a response; `?length=` is its declared length.
/// - `/hang/body/{n}`: sends the head and `n` bytes of the body.
enum HangRoutes {
    static var routes: [Route] {
        [
            Route("/hang", .any) { request in
                try await request.hang()
                return .empty(.noContent)
            },
            Route("/hang/unread", .any) { request in
                try await request.hangUnread()
                return .empty(.noContent)
            },
            Route("/hang/head", .any) { hang($0, after: 0) },
            Route("/hang/body/{n:int}", .any) { hang($0, after: min($0.integer("n"), 16 * 1024 * 1024)) },
        ]
    }

    private static func hang(_ request: EchoRequest, after count: Int) -> Response {
        let declared: Int? = request.arguments.number("length")
        return .stream(type: "application/octet-stream", length: declared.map { max(0, $0) }) { writer in
            if count > 0, request.head.method != .head {
                try await writer.write(ByteBuffer(repeating: UInt8(ascii: "x"), count: count))
            }
            try await request.hang()
        }
    }
}

extension EchoRequest {
    /// Waits until the client has closed its side of the connection. Throws `CancellationError` when the server stops.
    func hang() async throws {
        try await body.consumeWithCancellationOnInboundClose { body in
            for try await _ in body {}
            try await Task.sleep(for: .seconds(86_400))
        }
    }

    /// The same without reading what the client sends.
    func hangUnread() async throws {
        let channel = context.channel
        let departure = try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: ConnectionHandler.self).departure
        }.get()
        let (departures, continuation) = AsyncStream.makeStream(of: Void.self)
        departure?.whenComplete { _ in continuation.finish() }
        for await _ in departures {}
        throw CancellationError()
    }
}
