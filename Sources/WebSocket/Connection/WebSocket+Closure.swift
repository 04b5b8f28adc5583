// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension WebSocket {
    /// How a socket was closed: what the peer's close frame said, or ``CloseCode/abnormal`` when there was none.
    ///
    /// It is the `cause` of the error of a socket that the peer closed for a failure.
    public struct Closure: Error, Hashable, Sendable {
        public let code: CloseCode
        /// The peer's own text. It may hold anything: the description leaves it out.
        public let reason: String

        package init(_ code: CloseCode, reason: String = "") {
            self.code = code
            self.reason = reason
        }
    }
}

extension WebSocket.Closure {
    /// Reads the payload of a close frame (RFC 6455 §5.5.1).
    init(payload: [UInt8]) throws(WebSocketFailure) {
        guard !payload.isEmpty else {
            self.init(.noStatus)
            return
        }
        guard payload.count > 1 else { throw .violation("a close frame has half a status (RFC 6455 §5.5.1)") }
        let code = WebSocket.CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.mayBeSent else {
            throw .violation("a close frame has the status \(code), which may not be sent (RFC 6455 §7.4)")
        }
        var check = UTF8Check()
        let isText = payload[2...].withUnsafeBytes { check.accepts($0) }
        guard isText, check.isComplete else {
            throw WebSocketFailure(
                status: .invalidPayload, code: .protocolViolation,
                message: "the reason in a close frame is not UTF-8 (RFC 6455 §5.5.1)")
        }
        self.init(code, reason: String(decoding: payload[2...], as: UTF8.self))
    }

    /// For a close frame; nothing for ``WebSocket/CloseCode/noStatus``.
    package var payload: Data {
        guard code.mayBeSent else { return Data() }
        return Data([UInt8(code.rawValue >> 8), UInt8(truncatingIfNeeded: code.rawValue)] + reason.utf8)
    }
}

extension WebSocket.Closure: DumpedAsDescription {
    /// `1011`: without the reason.
    public var description: String { "\(code)" }
}
