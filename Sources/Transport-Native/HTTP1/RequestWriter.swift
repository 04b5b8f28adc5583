// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

extension HTTPField.Name {
    fileprivate static let host = known("Host")
}

/// Writes requests of HTTP/1.1 (RFC 9112 §3, §5, §7.1). It knows no I/O.
///
/// The fields go out as they are, in their order, but for `Host`, which is the first, and those that frame the body, which
/// are the writer's: a length of the caller's that disagrees with the body would let one request pass for two. Neither names nor
/// values can hold a line break: HTTPTypes sees to it.
enum RequestWriter {
    /// How the server knows where the body ends.
    enum Framing: Equatable {
        /// There is no body and no length.
        case none
        case length(Int64)
        case chunked
    }

    /// Appends the request line and the fields, empty line included.
    ///
    /// - Parameters:
    ///   - head: validated (`TransportRequest.validate`).
    ///   - isAbsolute: whether the target is the whole URL, as a proxy wants it (RFC 9112 §3.2.2).
    ///   - acceptEncoding: a value to add for that field.
    /// - Throws: `invalidRequest`; nothing has been appended then.
    static func write(
        _ head: HTTPRequest, _ framing: Framing, isAbsolute: Bool = false, acceptEncoding: String? = nil,
        to buffer: inout ByteBuffer
    ) throws(NetworkClientError) {
        let fields = head.headerFields
        let host = try host(of: fields)
        buffer.append(head.method.rawValue)
        buffer.append(" ")
        if isAbsolute { buffer.append(absoluteTarget(head)) } else { buffer.append(head.path ?? "/") }
        buffer.append(" HTTP/1.1\r\nHost: ")
        if let host {
            host.withUnsafeBytesOfValue { buffer.append(UnsafeRawBufferPointer($0)) }
        } else {
            buffer.append(authority(head))
        }
        buffer.append("\r\n")
        write(fields, to: &buffer)
        if let acceptEncoding {
            buffer.append("Accept-Encoding: ")
            buffer.append(acceptEncoding)
            buffer.append("\r\n")
        }
        switch framing {
        case .none: break
        case .length(let length):
            buffer.append("Content-Length: ")
            buffer.append(number: UInt64(max(0, length)), radix: 10)
            buffer.append("\r\n")
        case .chunked: buffer.append("Transfer-Encoding: chunked\r\n")
        }
        buffer.append("\r\n")
    }

    /// The field that names the host, when the caller has set it.
    ///
    /// - Throws: `invalidRequest` when there are several.
    static func host(of fields: HTTPFields) throws(NetworkClientError) -> HTTPField? {
        var host: HTTPField?
        for field in fields where Role(field.name) == .host {
            guard host == nil else {
                throw NetworkClientError(.invalidRequest, "there are several Host fields (RFC 9112 §3.2)")
            }
            host = field
        }
        return host
    }

    /// Appends what comes before the bytes of a chunk. An empty chunk would end the body, so there is none.
    static func writeChunkStart(_ size: Int, to buffer: inout ByteBuffer) {
        guard size > 0 else { return }
        buffer.append(number: UInt64(size), radix: 16)
        buffer.append("\r\n")
    }

    /// Appends what comes behind the bytes of a chunk.
    static func writeChunkEnd(to buffer: inout ByteBuffer) { buffer.append("\r\n") }

    /// Appends the end of a chunked body.
    ///
    /// - Throws: `invalidRequest` for a field that must not be a trailer (RFC 9110 §6.5.1); nothing has been appended then.
    static func writeLastChunk(
        trailers: HTTPFields = [:], to buffer: inout ByteBuffer
    ) throws(NetworkClientError) {
        try check(trailers: trailers)
        buffer.append("0\r\n")
        for field in trailers { write(field, to: &buffer) }
        buffer.append("\r\n")
    }

    /// - Throws: `invalidRequest` for a field that must not be a trailer (RFC 9110 §6.5.1).
    static func check(trailers: HTTPFields) throws(NetworkClientError) {
        for field in trailers where !field.name.mayBeTrailer {
            throw NetworkClientError(.invalidRequest, "\(field.name.rawName) cannot be a trailer (RFC 9110 §6.5.1)")
        }
    }

    /// What is done with a field.
    private enum Role {
        case host, framing, cookie, other

        /// Most names are told apart by their lengths, which costs less than comparing them.
        init(_ name: HTTPField.Name) {
            self =
                switch name.canonicalName.utf8.count {
                case 4: name == .host ? .host : .other
                case 6: name == .cookie ? .cookie : .other
                case 14, 17: name.isFraming ? .framing : .other
                default: .other
                }
        }
    }

    private static func write(_ fields: HTTPFields, to buffer: inout ByteBuffer) {
        var hasCookies = false
        for field in fields {
            switch Role(field.name) {
            case .host, .framing: continue
            case .other: write(field, to: &buffer)
            case .cookie:
                if !hasCookies { writeCookies(fields[fields: .cookie], to: &buffer) }
                hasCookies = true
            }
        }
    }

    private static func write(_ field: HTTPField, to buffer: inout ByteBuffer) {
        buffer.append(field.name.rawName)
        field.withUnsafeBytesOfValue { value in
            buffer.append(value.isEmpty ? ":" : ": ")
            buffer.append(UnsafeRawBufferPointer(value))
        }
        buffer.append("\r\n")
    }

    /// All cookies in one line (RFC 6265 §5.4): HTTPTypes makes a field of each.
    private static func writeCookies(_ cookies: [HTTPField], to buffer: inout ByteBuffer) {
        for (offset, cookie) in cookies.enumerated() {
            if offset == 0 { buffer.append(cookie.name.rawName) }
            buffer.append(offset == 0 ? ": " : "; ")
            cookie.withUnsafeBytesOfValue { buffer.append(UnsafeRawBufferPointer($0)) }
        }
        buffer.append("\r\n")
    }

    /// The whole URL (RFC 9112 §3.2.2).
    static func absoluteTarget(_ head: HTTPRequest) -> String {
        "\(head.scheme ?? "http")://\(authority(head))\(head.path ?? "/")"
    }

    /// The authority, without the zone of an address, which means something on this host alone (RFC 6874 §4).
    static func authority(_ head: HTTPRequest) -> String {
        let authority = head.authority ?? ""
        guard authority.utf8.first == UInt8(ascii: "["), let zone = authority.firstIndex(of: "%"),
            let end = authority.firstIndex(of: "]"), zone < end
        else { return authority }
        return String(authority[..<zone] + authority[end...])
    }
}
