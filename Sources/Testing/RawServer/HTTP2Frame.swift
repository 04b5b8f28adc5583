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

    /// A head or trailers. Every field is a literal without indexing, name and value without Huffman coding (RFC 7541
    /// §6.2.2): so there is no table to keep. They have 126 bytes at most, which need but one for their length (§5.1).
    static func block(_ fields: KeyValuePairs<String, String>) -> [UInt8] {
        fields.flatMap { name, value -> [UInt8] in [0] + string(name) + string(value) }
    }

    private static func string(_ text: String) -> [UInt8] {
        precondition(text.utf8.count < 127)
        return [UInt8(text.utf8.count)] + Array(text.utf8)
    }
}

/// Takes a client's frames out of the bytes that arrive, after its preface (RFC 9113 §3.4).
struct HTTP2FrameReader: Sendable {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let headerLength = 9

    private var buffer: ArraySlice<UInt8> = []
    private var hasPreface = false
    /// Whether what has come so far can be HTTP/2.
    private(set) var isHTTP2 = true

    mutating func feed(_ bytes: [UInt8]) {
        buffer += bytes
        if hasPreface { return }
        isHTTP2 = zip(buffer, Self.preface).allSatisfy { $0 == $1 }
        guard isHTTP2, buffer.count >= Self.preface.count else { return }
        hasPreface = true
        buffer = buffer.dropFirst(Self.preface.count)
    }

    /// The next frame that is there whole. Those of unknown kinds are passed over (§4.1).
    mutating func next() -> HTTP2Frame? {
        while hasPreface, buffer.count >= Self.headerLength {
            let header = Array(buffer.prefix(Self.headerLength))
            let length = Int(HTTP2Frame.number(header[..<3]))
            guard buffer.count >= Self.headerLength + length else { return nil }
            let payload = Array(buffer.dropFirst(Self.headerLength).prefix(length))
            buffer = buffer.dropFirst(Self.headerLength + length)
            guard let kind = HTTP2Frame.Kind(rawValue: header[3]) else { continue }
            // The first bit is reserved.
            let stream = HTTP2Frame.number(header[5...]) & 0x7fff_ffff
            return HTTP2Frame(kind, flags: header[4], stream: stream, payload: payload)
        }
        return nil
    }
}

/// How much the client takes of the bodies that are sent to it (RFC 9113 §5.2).
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

    /// How many of `count` bytes may go out on the stream in one frame: they count as sent.
    mutating func take(_ count: Int, on stream: UInt32) -> Int {
        let taken = max(0, min(count, Self.frameLimit, connection, initial + streams[stream, default: 0]))
        connection -= taken
        streams[stream, default: 0] -= taken
        return taken
    }
}
