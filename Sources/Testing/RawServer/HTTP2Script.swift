// SPDX-License-Identifier: Apache-2.0

/// What a ``RawServer`` does on one stream of HTTP/2 when its request has begun, step by step. When the steps are done,
/// the stream stays as it is, and the connection open.
///
///     [.fields([":status": "200"]), .data("part", ends: false), .reset(.cancel)]
struct HTTP2Script: Sendable, ExpressibleByArrayLiteral {
    /// RFC 9113 §7.
    enum ErrorCode: UInt32, Sendable {
        case noError = 0x0
        case protocolError = 0x1
        case internalError = 0x2
        case refusedStream = 0x7
        case cancel = 0x8
        case http11Required = 0xd
    }

    enum Step: Sendable {
        /// Sends a head, an interim one, or trailers.
        case fields(KeyValuePairs<String, String>, ends: Bool = false)
        /// Sends the bytes a number of times, as the client's windows let it.
        case body([UInt8], times: Int, ends: Bool)
        /// Sends back what comes, its end too, and opens the windows for as much.
        case echo
        case reset(ErrorCode)
        /// Whether this stream is the last that is acted on, or the one before it.
        case goAway(includesThis: Bool)
        /// Opens the windows of the stream and of its connection further than the 65,535 bytes that they begin with.
        case grant(UInt32)
        /// Sends a frame of the connection, or of any stream.
        case frame(HTTP2Frame)
        /// Sends these bytes again and again, until the connection ends.
        case flood(@Sendable (_ stream: UInt32) -> [UInt8])
        /// When the request has come whole: what is done about it.
        case answer(@Sendable (HTTP2Stream) -> [Step])
        /// Ends the connection, and every script on it.
        case close
        case wait(Duration)
        case until(@Sendable (RawLog) -> Bool)

        static func data(_ text: String, ends: Bool = true) -> Step { .body(Array(text.utf8), times: 1, ends: ends) }
    }

    let steps: [Step]

    init(arrayLiteral elements: Step...) {
        self.init(steps: elements)
    }

    init(steps: [Step]) {
        self.steps = steps
    }

    static func answer(_ text: String, when condition: @escaping @Sendable (RawLog) -> Bool = { _ in true }) -> Self {
        [.until(condition), .fields([":status": "200"]), .data(text)]
    }
}
