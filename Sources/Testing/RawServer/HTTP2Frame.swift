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

    /// Numbers and values (§6.5.1).
    static func settings(_ values: KeyValuePairs<UInt16, UInt32>) -> HTTP2Frame {
        HTTP2Frame(
            .settings,
            payload: values.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] + bytes(of: $1) })
    }

    /// A head or trailers. Every field is a literal without indexing, its name and value without Huffman coding (RFC
    /// 7541 §6.2.2), so that there is no table to keep.
    static func block(_ fields: KeyValuePairs<String, String>) -> [UInt8] { fields.flatMap { field($0, $1) } }

    /// One field of a ``block(_:)``.
    static func field(_ name: String, _ value: String) -> [UInt8] { [0] + string(name) + string(value) }

    /// Its length is a number that begins with seven bits (§5.1).
    private static func string(_ text: String) -> [UInt8] {
        var rest = text.utf8.count
        guard rest >= 127 else { return [UInt8(rest)] + Array(text.utf8) }
        var bytes: [UInt8] = [127]
        rest -= 127
        while rest >= 128 {
            bytes.append(UInt8(rest % 128 + 128))
            rest /= 128
        }
        return bytes + [UInt8(rest)] + Array(text.utf8)
    }
}
