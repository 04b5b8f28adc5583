// SPDX-License-Identifier: Apache-2.0

/// A frame of HTTP/2 (RFC 9113 §4.1).
struct HTTP2Frame: Sendable, Equatable {
    /// In the order of their codes (§6).
    enum Kind: UInt8, Sendable {
        case data, headers, priority, rstStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    static let endStream: UInt8 = 0x1
    static let ack: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4

    let kind: Kind
    let flags: UInt8
    let stream: UInt32
    let payload: [UInt8]

    init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

    /// As it goes over the wire.
    var encoded: [UInt8] {
        var bytes = Array(Self.bytes(of: UInt32(payload.count)).dropFirst())
        bytes += [kind.rawValue, flags]
        bytes += Self.bytes(of: stream)
        return bytes + payload
    }

    static func bytes(of number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    static func number(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

    /// A head or trailers. Every field is a literal without indexing, its name and value without Huffman coding (RFC
    /// 7541 §6.2.2), so that there is no table to keep. Names and values have 126 bytes at most, whose length fits into
    /// one byte (§5.1).
    static func block(_ fields: KeyValuePairs<String, String>) -> [UInt8] {
        fields.flatMap { name, value -> [UInt8] in [0] + string(name) + string(value) }
    }

    private static func string(_ text: String) -> [UInt8] {
        precondition(text.utf8.count < 127)
        return [UInt8(text.utf8.count)] + Array(text.utf8)
    }
}
