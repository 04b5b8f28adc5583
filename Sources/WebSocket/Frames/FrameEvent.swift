// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What the peer has said.
package enum FrameEvent: Equatable, Sendable {
    /// A message is whole.
    case message(WebSocket.Message)
    case ping(Data)
    case pong(Data)
    /// Nothing comes behind it.
    case close(WebSocket.Closure)
}
