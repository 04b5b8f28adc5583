// SPDX-License-Identifier: Apache-2.0

public import StrataWebSocket

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What a ``RawServer`` does on one connection, step by step. When the steps are done the connection is closed.
///
///     [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), .wait(.milliseconds(50)), .reset]
///
/// A script ends early when the client closes or resets the connection while something is to be read or sent.
public struct RawScript: Sendable, Equatable, ExpressibleByArrayLiteral {
    public var steps: [Step]

    public init(_ steps: [Step]) {
        self.steps = steps
    }

    @_documentation(visibility: internal)
    public init(arrayLiteral elements: Step...) {
        steps = elements
    }

    /// The same, on and on, until the client closes: a server that keeps the connection alive.
    public static func forever(_ steps: Step...) -> RawScript {
        [.repeat(steps)]
    }

    public struct Step: Sendable, Equatable {
        enum Action: Sendable, Equatable {
            case readHead
            case readBody
            case readBytes(Int)
            case readToEnd
            case readUntilClosed
            case echo
            case send([UInt8])
            case respondWithTarget
            case acceptSocket([String])
            case wait(Duration)
            case closeOutput
            case close
            case reset
            case hang
            indirect case `repeat`([Step], times: Int?)
        }

        let actions: [Action]

        private init(_ actions: Action...) {
            self.actions = actions
        }

        /// Reads one request whole, its body by `Content-Length` or chunked (RFC 9112 §6).
        public static let readRequest = Step(.readHead, .readBody)
        /// Reads up to the empty line after the fields.
        public static let readHead = Step(.readHead)
        /// Reads the body of the request whose head was read.
        public static let readBody = Step(.readBody)
        /// Reads that many bytes, whatever they are.
        public static func readBytes(_ count: Int) -> Step { Step(.readBytes(count)) }
        /// Reads until the client closes its side.
        public static let readToEnd = Step(.readToEnd)
        /// Reads until the client closes its side, and goes on with the next step.
        public static let readUntilClosed = Step(.readUntilClosed)
        /// Sends back what comes until the client closes its side, and goes on with the next step.
        public static let echo = Step(.echo)

        /// Sends the text as UTF-8, at once and in one write.
        public static func send(_ text: String) -> Step { Step(.send(Array(text.utf8))) }
        public static func send(_ bytes: [UInt8]) -> Step { Step(.send(bytes)) }

        /// Sends pieces of `size` bytes with a pause after each.
        public static func drip(_ text: String, size: Int = 1, every pause: Duration) -> Step {
            let bytes = Array(text.utf8)
            let size = max(1, size)
            let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min(bytes.count, $0 + size)] }
            return .repeat(pieces.flatMap { [.send(Array($0)), .wait(pause)] }, times: 1)
        }

        /// A response with `Content-Length` and nothing unusual. Fields are lines without line ends.
        public static func respond(_ status: Int = 200, fields: [String] = [], body: String = "") -> Step {
            let lines = ["HTTP/1.1 \(status) Status", "Content-Length: \(body.utf8.count)"] + fields
            return .send(lines.map { $0 + "\r\n" }.joined() + "\r\n" + body)
        }

        /// Switches to another protocol (RFC 9110 §7.8): what follows is not HTTP. Fields are lines without line ends.
        public static func switchProtocols(to name: String, fields: [String] = []) -> Step {
            let lines = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: \(name)"] + fields
            return .send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
        }

        /// Opens the WebSocket that the request before asked for (RFC 6455 §4.2.2): what follows are frames. Fields are lines without line
        /// ends.
        public static func acceptWebSocket(fields: [String] = []) -> Step { Step(.acceptSocket(fields)) }

        /// Sends a message of a WebSocket's server, in one frame.
        public static func send(_ message: WebSocket.Message) -> Step {
            switch message {
            case .text(let text): frame(.text, Data(text.utf8))
            case .data(let data): frame(.binary, data)
            }
        }

        /// Sends a frame of a WebSocket's server that closes it.
        public static func closeWebSocket(_ code: WebSocket.CloseCode = .normal, reason: String = "") -> Step {
            frame(.close, WebSocket.Closure(code, reason: reason).payload)
        }

        /// Sends a frame of a WebSocket's server.
        package static func frame(
            _ opcode: FrameOpcode, _ payload: Data = Data(), isFinal: Bool = true, isCompressed: Bool = false
        ) -> Step {
            var bytes = Data()
            FrameHeader(opcode, length: payload.count, isFinal: isFinal, isCompressed: isCompressed).append(to: &bytes)
            return Step(.send(Array(bytes + payload)))
        }

        /// A response whose body is the target of the request, so that each request gets a different one.
        public static let respondWithTarget = Step(.respondWithTarget)

        /// Does nothing for a while; the connection stays open.
        public static func wait(_ duration: Duration) -> Step { Step(.wait(duration)) }
        /// Sends FIN and goes on reading.
        public static let closeOutput = Step(.closeOutput)
        /// Closes in order. What the client has sent is read first, so that the bytes sent by the script are not
        /// overtaken by a RST.
        public static let close = Step(.close)
        /// Closes with RST (`SO_LINGER` with 0 seconds). Bytes just sent may not arrive: put a ``wait(_:)`` before it.
        public static let reset = Step(.reset)
        /// Neither reads nor sends until the server stops. Receive buffers fill, and the client's sending stalls.
        public static let hang = Step(.hang)
        /// - `times`: `nil` goes on until the client closes.
        public static func `repeat`(_ steps: [Step], times: Int? = nil) -> Step { Step(.repeat(steps, times: times)) }
    }
}
