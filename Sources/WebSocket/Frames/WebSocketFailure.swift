// SPDX-License-Identifier: Apache-2.0

package import StrataCore

/// Why a connection is failed from this end (RFC 6455 §7.1.7): the error for the caller, and the status for the peer.
package struct WebSocketFailure: Error, Hashable {
    package let status: WebSocket.CloseCode
    package let code: NetworkClientError.Code
    package let message: String

    static func violation(_ message: String) -> WebSocketFailure {
        WebSocketFailure(status: .protocolError, code: .protocolViolation, message: message)
    }

    static func tooLarge(_ message: String) -> WebSocketFailure {
        WebSocketFailure(status: .messageTooBig, code: .bodyTooLarge, message: message)
    }

    static let notUTF8 = WebSocketFailure(
        status: .invalidPayload, code: .protocolViolation, message: "a text message is not UTF-8 (RFC 6455 §8.1)")

    static func notDeflate(_ message: String) -> WebSocketFailure {
        WebSocketFailure(status: .invalidPayload, code: .contentEncodingFailed, message: message)
    }

    var error: NetworkClientError { NetworkClientError(code, message) }
}
