// SPDX-License-Identifier: Apache-2.0

/// A server that sends without end what is no answer, as fast as it is read.
package struct Attack: Sendable, CustomStringConvertible {
    package let description: String
    /// Whether it needs HTTP/2 with prior knowledge.
    package let isOverHTTP2: Bool
    /// Starts a server that does it on each request.
    package let start: @Sendable () throws -> RawServer

    private init(_ name: String, frames: @escaping @Sendable (_ stream: UInt32) -> [UInt8], hasHead: Bool = true) {
        description = "endless \(name)"
        isOverHTTP2 = true
        let head: [HTTP2Script.Step] = hasHead ? [.fields([":status": "200"])] : []
        start = { try RawServer.start(streams: [HTTP2Script(steps: head + [.flood(frames)])]) }
    }

    private init(_ name: String, frame: @escaping @Sendable (_ stream: UInt32) -> HTTP2Frame) {
        self.init(name, frames: { frame($0).encoded })
    }

    private init(_ name: String, head: String, then text: String) {
        description = "endless \(name)"
        isOverHTTP2 = false
        let bytes = Array(String(repeating: text, count: 1 + 65_536 / text.utf8.count).utf8)
        start = { try RawServer.start(script: [.readRequest, .send(head), .repeat([.send(bytes)])]) }
    }

    package static let all: [Attack] = overHTTP2 + overHTTP1

    private static let eight = [UInt8](repeating: 0, count: 8)

    private static let overHTTP2: [Attack] = [
        Attack("empty DATA") { HTTP2Frame(.data, stream: $0) },
        Attack("DATA of a byte") { HTTP2Frame(.data, stream: $0, payload: [0]) },
        Attack("padding") {
            HTTP2Frame(.data, flags: 0x8, stream: $0, payload: [255] + [UInt8](repeating: 0, count: 255))
        },
        Attack("PING acknowledgements") { _ in HTTP2Frame(.ping, flags: HTTP2Frame.ack, payload: eight) },
        Attack("PING") { _ in HTTP2Frame(.ping, payload: eight) },
        Attack("SETTINGS") { _ in HTTP2Frame(.settings) },
        Attack("SETTINGS acknowledgements") { _ in HTTP2Frame(.settings, flags: HTTP2Frame.ack) },
        Attack("WINDOW_UPDATE of the connection") { _ in
            HTTP2Frame(.windowUpdate, payload: HTTP2Frame.bytes(of: 1))
        },
        Attack("WINDOW_UPDATE of a stream") { HTTP2Frame(.windowUpdate, stream: $0, payload: HTTP2Frame.bytes(of: 1)) },
        Attack("PRIORITY") { HTTP2Frame(.priority, stream: $0, payload: [0, 0, 0, 0, 15]) },
        Attack("RST_STREAM") { HTTP2Frame(.rstStream, stream: $0, payload: HTTP2Frame.bytes(of: 8)) },
        Attack("GOAWAY") { HTTP2Frame(.goAway, payload: HTTP2Frame.bytes(of: $0) + HTTP2Frame.bytes(of: 0)) },
        Attack("frames of an unknown kind", frames: { _ in [0, 0, 0, 0xbe, 0, 0, 0, 0, 0] }),
        Attack(
            "interim heads over HTTP/2",
            frames: { stream in
                HTTP2Frame(
                    .headers, flags: HTTP2Frame.endHeaders, stream: stream,
                    payload: HTTP2Frame.block([":status": "103"])
                ).encoded
            }, hasHead: false),
        Attack("CONTINUATION", frames: { HTTP2Frame(.continuation, stream: $0).encoded }, hasHead: false),
    ]

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"

    private static let overHTTP1: [Attack] = [
        Attack("chunks of a byte", head: chunked, then: "1\r\na\r\n"),
        Attack("chunk extensions", head: chunked + "1", then: ";a=b"),
        Attack("interim heads", head: "", then: "HTTP/1.1 103 Early Hints\r\n\r\n"),
        Attack("fields", head: ok, then: "a: b\r\n"),
        Attack("line ends before the head", head: "", then: "\r\n"),
        Attack("trailers", head: chunked + "0\r\n", then: "a: b\r\n"),
    ]
}
