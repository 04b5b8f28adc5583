// SPDX-License-Identifier: Apache-2.0

import CStrataNGHTTP2
import HTTPTypes
import StrataCore
import StrataTransportSupport

@testable import StrataNative
@testable import StrataTesting

/// Who takes what comes on a stream.
final class Collector: HTTP2Receiver {
    private(set) var body: [UInt8] = []
    private(set) var lengths: [Int64?] = []

    func take(_ bytes: UnsafeRawBufferPointer, length: Int64?) {
        body += bytes
        lengths.append(length)
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// A session, and the server's side of it, which the test plays.
final class HTTP2Peer {
    let session: HTTP2Session
    private var reader = HTTP2FrameReader()
    /// What the client has sent.
    private(set) var frames: [HTTP2Frame] = []
    private let inflater = Inflater()
    /// The time of what comes, in nanoseconds.
    var now: UInt64 = 1_000_000_000

    /// - Parameter settings: whether those of the server have come.
    init(_ limits: HTTP2Session.Limits = .init(), settings: Bool = true) throws {
        session = try HTTP2Session(limits, fields: FieldMemory())
        if settings { receive([HTTP2Frame(.settings), HTTP2Frame(.settings, flags: HTTP2Frame.ack)]) }
    }

    func begin(
        _ method: HTTPMethod = .get, path: String = "/", fields: HTTPFields = [:], length: Int64? = nil,
        hasBody: Bool = false, upgrade: String? = nil, skipsInvalidFields: Bool = false
    ) throws -> (stream: ClientStream, body: Collector) {
        let head = HTTPRequest(method: method, scheme: "https", authority: "a.test", path: path, headerFields: fields)
        let body = Collector()
        let stream = try session.begin(
            head, length: length, hasBody: hasBody, upgrade: upgrade, acceptEncoding: nil,
            skipsInvalidFields: skipsInvalidFields,
            receiver: body)
        flush()
        return (stream, body)
    }

    // MARK: - From the server

    func receive(_ frames: [HTTP2Frame]) { receive(frames.flatMap(\.encoded)) }

    func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { session.receive($0, now: now) }
        flush()
    }

    // MARK: - To the server

    /// Takes what the session sends.
    func flush(atMost count: Int = 1 << 20) {
        session.produce(atMost: count)
        let bytes = session.outgoing.bytes
        reader.feed(Array(bytes))
        session.removeOutgoing()
        while let frame = reader.next() { frames.append(frame) }
    }

    func sent(_ kind: HTTP2Frame.Kind, on stream: UInt32? = nil) -> [HTTP2Frame] {
        frames.filter { $0.kind == kind && (stream == nil || $0.stream == stream) }
    }

    func body(of stream: UInt32) -> [UInt8] { sent(.data, on: stream).flatMap(\.payload) }

    /// The code with which a stream was reset.
    func resetCode(of stream: UInt32) -> HTTP2Code? {
        sent(.rstStream, on: stream).first.map { HTTP2Code(rawValue: HTTP2Frame.number($0.payload)) }
    }

    /// The fields of all heads and trailers, in their order.
    func heads() -> [[String]] { sent(.headers).map { inflater.fields(of: $0.payload) } }

    /// By how much windows were opened.
    func granted(on stream: UInt32) -> Int {
        sent(.windowUpdate, on: stream).reduce(0) { $0 + Int(HTTP2Frame.number($1.payload)) }
    }

    /// Unpacks fields, as `name: value`.
    private final class Inflater {
        private var inflater: OpaquePointer?

        init() { nghttp2_hd_inflate_new(&inflater) }
        deinit { nghttp2_hd_inflate_del(inflater) }

        func fields(of block: [UInt8]) -> [String] {
            var fields: [String] = []
            var rest = block[...]
            while true {
                var pair = nghttp2_nv()
                var flags: Int32 = 0
                let used = rest.withUnsafeBufferPointer {
                    nghttp2_hd_inflate_hd2(inflater, &pair, &flags, $0.baseAddress, $0.count, 1)
                }
                guard used >= 0 else { return fields + ["broken"] }
                rest = rest.dropFirst(used)
                if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                    let name = String(
                        decoding: UnsafeBufferPointer(start: pair.name, count: pair.namelen), as: UTF8.self)
                    let value = String(
                        decoding: UnsafeBufferPointer(start: pair.value, count: pair.valuelen), as: UTF8.self)
                    fields.append("\(name): \(value)")
                }
                if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
                    nghttp2_hd_inflate_end_headers(inflater)
                    return fields
                }
            }
        }
    }
}

extension HTTP2Frame {
    static func head(
        _ fields: KeyValuePairs<String, String>, on stream: UInt32 = 1, ends: Bool = false
    ) -> HTTP2Frame {
        HTTP2Frame(
            .headers, flags: endHeaders | (ends ? endStream : 0), stream: stream, payload: block(fields))
    }

    static func data(_ text: String, on stream: UInt32 = 1, ends: Bool = false) -> HTTP2Frame {
        HTTP2Frame(.data, flags: ends ? endStream : 0, stream: stream, payload: Array(text.utf8))
    }

    static func data(_ count: Int, on stream: UInt32 = 1, ends: Bool = false) -> [HTTP2Frame] {
        stride(from: 0, to: count, by: 16_384).map { start in
            let size = min(16_384, count - start)
            return HTTP2Frame(
                .data, flags: ends && start + size == count ? endStream : 0, stream: stream,
                payload: [UInt8](repeating: 7, count: size))
        }
    }

    static func reset(_ code: HTTP2Code, on stream: UInt32 = 1) -> HTTP2Frame {
        HTTP2Frame(.rstStream, stream: stream, payload: bytes(of: code.rawValue))
    }

    static func goAway(last: UInt32, _ code: HTTP2Code = .noError) -> HTTP2Frame {
        HTTP2Frame(.goAway, payload: bytes(of: last) + bytes(of: code.rawValue))
    }

    static func window(_ count: UInt32, on stream: UInt32 = 0) -> HTTP2Frame {
        HTTP2Frame(.windowUpdate, stream: stream, payload: bytes(of: count))
    }
}
