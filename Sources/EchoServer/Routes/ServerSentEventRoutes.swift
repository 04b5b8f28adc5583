// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore

/// `/sse`: a stream of events, or of any bytes with any pauses.
///
/// By query: `count` events (10) with ids from 1, `interval` milliseconds apart (0). `event=` names them, `retry=` is sent
/// first, `drop_after=n` breaks the connection after `n` events without ending the body. `Last-Event-ID: k` goes on with
/// `k + 1`; when nothing is left the answer is 204, which tells a client to stop.
///
/// By script, a JSON body or `script=` in the query: see ``SSEScript``.
enum ServerSentEventRoutes {
    static var routes: [Route] {
        [
            Route("/sse", .only([.get, .post])) { request in
                if let text = request.arguments["script"] {
                    return try play(SSEScript(json: Array(text.utf8)))
                }
                let body = request.head.method == .post ? try await request.collectBody() : []
                return try body.isEmpty ? events(for: request) : play(SSEScript(json: body))
            }
        ]
    }

    /// Thrown in the middle of a body to close the connection under it.
    struct ConnectionDropped: Error {}

    private static func events(for request: EchoRequest) throws -> Response {
        let arguments = request.arguments
        let count = arguments.number("count") ?? 10
        let interval = try request.milliseconds("interval") ?? .zero
        let dropAfter: Int? = arguments.number("drop_after")
        let (eventName, retry) = (arguments["event"], arguments["retry"])
        let last = request.fields[.lastEventID].flatMap { Int($0) } ?? 0
        guard last >= 0, last < count else { return StatusRoutes.response(204) }

        return .stream(type: "text/event-stream", fields: noStore) { writer in
            if let retry { try await writer.write(ByteBuffer(string: "retry: \(retry)\n\n")) }
            for (sent, id) in ((last + 1)...count).enumerated() {
                if sent == dropAfter { throw ConnectionDropped() }
                if sent > 0, interval > .zero { try await Task.sleep(for: interval) }
                let name = eventName.map { "event: \($0)\n" } ?? ""
                try await writer.write(ByteBuffer(string: "\(name)id: \(id)\ndata: {\"n\":\(id)}\n\n"))
            }
            if dropAfter == count - last { throw ConnectionDropped() }
        }
    }

    private static func play(_ script: SSEScript) throws -> Response {
        .stream(type: script.contentType, status: .init(code: script.status), fields: noStore) { writer in
            for step in script.steps {
                switch step {
                case .send(let bytes): try await writer.write(ByteBuffer(bytes: bytes))
                case .wait(let pause): try await Task.sleep(for: pause)
                case .drop: throw ConnectionDropped()
                }
            }
        }
    }

    private static let noStore: HTTPFields = [.cacheControl: "no-store"]
}
