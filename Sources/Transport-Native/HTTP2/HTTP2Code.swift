// SPDX-License-Identifier: Apache-2.0

/// Why a stream or a connection was ended (RFC 9113 §7).
struct HTTP2Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    let rawValue: UInt32

    static let noError = HTTP2Code(rawValue: 0)
    static let protocolError = HTTP2Code(rawValue: 1)
    static let internalError = HTTP2Code(rawValue: 2)
    static let refusedStream = HTTP2Code(rawValue: 7)
    static let cancel = HTTP2Code(rawValue: 8)
    static let enhanceYourCalm = HTTP2Code(rawValue: 11)
    static let http11Required = HTTP2Code(rawValue: 13)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The RFC's name, or the number.
    var description: String {
        let index = Int(rawValue)
        return index < Self.names.count ? Self.names[index] : "the code \(rawValue)"
    }
}
