// SPDX-License-Identifier: Apache-2.0

/// What a frame is (RFC 6455 §5.2). The other values are reserved.
package enum FrameOpcode: UInt8, Sendable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    package var isControl: Bool { rawValue >= 8 }
}
