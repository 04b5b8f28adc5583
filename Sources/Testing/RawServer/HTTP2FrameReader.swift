// SPDX-License-Identifier: Apache-2.0

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

    /// The next frame that is there whole. Those of unknown kinds are skipped (§4.1).
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
