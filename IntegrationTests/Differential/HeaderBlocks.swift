// SPDX-License-Identifier: Apache-2.0

import CStrataNGHTTP2
import Synchronization

@testable import StrataTesting

/// The heads of requests that a server gets over HTTP/2, decoded (RFC 7541): each connection has a table of its own.
final class HeaderBlocks: Sendable {
    private static let padded: UInt8 = 0x8
    private static let priority: UInt8 = 0x20

    private let decoders = Mutex<[Int: HeaderDecoder]>([:])

    /// To be called for all heads of a connection in their order. Whoever sends requests here sends each head in one frame.
    func fields(of frame: HTTP2Frame, on connection: Int) -> [String: String] {
        var block = frame.payload[...]
        if frame.has(Self.padded), let count = block.popFirst() { block = block.dropLast(Int(count)) }
        if frame.has(Self.priority) { block = block.dropFirst(5) }
        return decoders.withLock { decoders in
            let decoder = decoders[connection] ?? HeaderDecoder()
            decoders[connection] = decoder
            return decoder.decode(Array(block))
        }
    }
}

/// Used under the lock of its owner.
private final class HeaderDecoder: @unchecked Sendable {
    // Unchecked because of the pointer, which is behind the lock of the one owner.
    private var inflater: OpaquePointer?

    init() { nghttp2_hd_inflate_new(&inflater) }
    deinit { nghttp2_hd_inflate_del(inflater) }

    func decode(_ block: [UInt8]) -> [String: String] {
        var fields: [String: String] = [:]
        var place = 0
        block.withUnsafeBufferPointer { bytes in
            while true {
                var pair = nghttp2_nv()
                var flags: Int32 = 0
                let count = nghttp2_hd_inflate_hd2(
                    inflater, &pair, &flags, bytes.baseAddress.map { $0 + place }, bytes.count - place, 1)
                guard count >= 0 else { return }
                place += Int(count)
                if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                    fields[Self.text(pair.name, pair.namelen)] = Self.text(pair.value, pair.valuelen)
                }
                if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 { break }
            }
        }
        nghttp2_hd_inflate_end_headers(inflater)
        return fields
    }

    private static func text(_ start: UnsafeMutablePointer<UInt8>?, _ count: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
