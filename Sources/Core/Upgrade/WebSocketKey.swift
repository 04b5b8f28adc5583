// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The nonce of a WebSocket's handshake, and the proof that a server has read it (RFC 6455 §1.3). Here, because the doubles of a server
/// in `StrataTesting` answer with the proof too.
package enum WebSocketKey {
    /// 16 bytes of the system's random numbers, in base64.
    package static func random() -> String {
        Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
    }

    /// What `Sec-WebSocket-Accept` has to be for a key.
    package static func accept(for key: String) -> String {
        Data(SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
    }
}
