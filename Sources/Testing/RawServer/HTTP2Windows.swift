// SPDX-License-Identifier: Apache-2.0

/// How many bytes of bodies the client allows to be sent (RFC 9113 §5.2).
struct HTTP2Windows: Sendable {
    /// Of a connection, and of a stream unless SETTINGS say otherwise (§6.9.2).
    static let initial = 65_535
    private static let frameLimit = 16_384
    private static let initialWindowSize: UInt32 = 0x4

    private var connection = Self.initial
    private var initial = Self.initial
    /// By stream, what was granted beside the initial window, less what was sent.
    private var streams: [UInt32: Int] = [:]

    /// Takes in a SETTINGS or WINDOW_UPDATE frame.
    mutating func note(_ frame: HTTP2Frame) {
        if frame.kind == .settings {
            for start in stride(from: 0, to: frame.payload.count - 5, by: 6)
            where HTTP2Frame.number(frame.payload[start..<(start + 2)]) == Self.initialWindowSize {
                initial = Int(HTTP2Frame.number(frame.payload[(start + 2)..<(start + 6)]))
            }
        } else if frame.stream == 0 {
            connection += Int(HTTP2Frame.number(frame.payload))
        } else {
            streams[frame.stream, default: 0] += Int(HTTP2Frame.number(frame.payload))
        }
    }

    /// Takes as many of `count` bytes as may go out on the stream in one frame, and counts them as sent.
    mutating func take(_ count: Int, on stream: UInt32) -> Int {
        let taken = max(0, min(count, Self.frameLimit, connection, initial + streams[stream, default: 0]))
        connection -= taken
        streams[stream, default: 0] -= taken
        return taken
    }
}
